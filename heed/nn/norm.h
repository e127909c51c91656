#pragma once

#include "heed/grad/norm.h"

namespace heed::nn {

using kernel::Norm;

// Layer norm (parameters weight and bias) or RMS norm (weight), over the columns of each row.
class Normalization {
 public:
  Normalization(const Scope& scope, Index width, Norm kind = Norm::kLayer, float epsilon = 1e-5f);

  Var operator()(Context& context, const Var& x) const;
  Sequences operator()(Context& context, const Sequences& x) const {
    return {(*this)(context, x.rows), x.layout};
  }

  // norm(x + dropout(branch)) in one pass.
  Sequences add(Context& context, const Sequences& x, const Sequences& branch, float dropout) const;

 private:
  grad::NormParameters parameters(Context& context) const;

  Norm kind_;
  float epsilon_;
  const Parameter* gain_;
  const Parameter* bias_;
};

}  // namespace heed::nn
