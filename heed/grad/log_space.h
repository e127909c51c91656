#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::grad {

// Sums of probabilities that are held as logarithms, in double.

inline constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// log(e^a + e^b); NaN where one of them is.
inline double log_add(double a, double b) {
  if (a == kLogZero) return b;
  if (b == kLogZero) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

}  // namespace heed::grad
