#pragma once

#include "heed/tensor/shape.h"

namespace heed {

// How well one kind of answer (a class, a type of span) was found. A share of nothing is 0, as
// scikit-learn and seqeval count it.
struct ClassScore {
  Index support = 0;    // how many there are in truth
  Index predicted = 0;  // how many were said
  Index correct = 0;    // how many of those are right

  double precision() const { return share(correct, predicted); }
  double recall() const { return share(correct, support); }
  double f1() const { return share(2 * correct, support + predicted); }

  static double share(Index part, Index whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

}  // namespace heed
