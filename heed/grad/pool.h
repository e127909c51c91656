#pragma once

#include "heed/grad/context.h"

namespace heed::grad {

enum class Pool { kMean, kSum, kMax, kFirst, kLast };

// One row for each sequence: (rows, width) → (sequences, width). An empty sequence is a ShapeError.
Var pool(Context& context, const Sequences& x, Pool kind);

// Σ_i softmax_i(scores) x_i for each sequence: scores (rows, 1) → (sequences, width). With
// `weights` the softmax itself is also written there, (rows).
Var weighted_pool(Context& context, const Sequences& x, const Var& scores,
                  float* weights = nullptr);

}  // namespace heed::grad
