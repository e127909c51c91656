#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace heed::grad {

// Sums of probabilities that are held as logarithms, in double.

inline constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// log(e^a + e^b)
inline double log_add(double a, double b) {
  const double largest = std::max(a, b);
  if (largest == kLogZero) return kLogZero;
  return largest + std::log1p(std::exp(std::min(a, b) - largest));
}

}  // namespace heed::grad
