#pragma once

#include <span>

#include "heed/grad/context.h"

namespace heed::grad {

// A loss is Σ over rows, divided by `divisor`: by default the total weight of these rows, so that
// it is a mean. A worker that has a part of a batch is given the whole batch's total instead, so
// that the workers' losses add up to the mean.
struct LossOptions {
  float divisor = 0.0f;                    // 0: the total weight of the rows at hand
  float smoothing = 0.0f;                  // label smoothing, cross-entropy only
  std::span<const float> class_weights{};  // (classes), or empty for 1 each
  std::span<const float> row_weights{};    // (rows), or empty for 1 each; cross-entropy only
};

// −Σ_c t_c log softmax(logits)_c for each row, where t is (1 − smoothing) at the target plus
// smoothing / classes everywhere, each times its class weight and the row's weight.
//   logits (rows, classes), targets (rows) → a single number
// Targets of kIgnored take no part.
inline constexpr std::int32_t kIgnored = -1;
Var cross_entropy(Context& context, const Var& logits, std::span<const std::int32_t> targets,
                  const LossOptions& options = {});

// −t log σ(x) − (1 − t) log(1 − σ(x)) for each number; class weights multiply columns.
//   logits (rows, columns), targets (rows · columns) in 0 … 1 → a single number
Var binary_cross_entropy(Context& context, const Var& logits, std::span<const float> targets,
                         const LossOptions& options = {});

// How far two opinions are apart, p = softmax(a) and q = softmax(b): for each row the mean of the
// Kullback-Leibler divergences of p from q and of q from p; their sum, divided by `divisor`.
//   a, b (rows, classes) → a single number
Var divergence(Context& context, const Var& a, const Var& b, float divisor);

}  // namespace heed::grad
