#pragma once

#include <optional>

#include "heed/grad/pool.h"
#include "heed/nn/linear.h"

namespace heed::nn {

// How the rows of a sequence become one.
enum class PoolingKind {
  kMean,
  kSum,
  kMax,
  kFirst,
  kLast,
  kAttention,  // the sum by weights that a learned score of each row gives
  kMeanMax,    // both, side by side
};

// One row for each sequence: (rows, width) → (sequences, width), or 2 · width for kMeanMax. An
// empty sequence is a ShapeError.  Parameters, for kAttention: weight (1, width).
class Pooling {
 public:
  Pooling(const Scope& scope, PoolingKind kind, Index width);

  Var operator()(Context& context, const Sequences& x) const;
  // A score for each row, then the sum of rows by their weights.
  double flops(Index rows) const { return scores_ ? 2.0 * scores_->flops(rows) : 0.0; }
  PoolingKind kind() const { return kind_; }
  // Of what comes out.
  Index width() const { return width_; }

 private:
  PoolingKind kind_;
  Index width_;
  std::optional<Linear> scores_;
};

}  // namespace heed::nn
