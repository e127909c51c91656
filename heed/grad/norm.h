#pragma once

#include "heed/grad/context.h"
#include "heed/kernel/norm.h"

namespace heed::grad {

using kernel::Norm;

struct NormParameters {
  Norm kind = Norm::kLayer;
  Var gain;  // (columns)
  Var bias;  // (columns); empty for RMS norm
  float epsilon = 1e-5f;
};

// y = norm(x):  (rows, columns) → the same
Var norm(Context& context, const Var& x, const NormParameters& parameters);

// y = norm(x + dropout(branch)), the end of a post-norm layer, in one pass.
Var residual_norm(Context& context, const Var& x, const Var& branch,
                  const NormParameters& parameters, const SequenceDropout& dropout);

// y = x + scale · dropout(branch), the end of a pre-norm layer.
Var residual(Context& context, const Var& x, const Var& branch, const SequenceDropout& dropout,
             float scale = 1.0f);

// Each group of `width` columns divided by its length √(Σ x² + ε): what turns a dot product into a
// cosine.
Var unit_length(Context& context, const Var& x, Index width);

}  // namespace heed::grad
