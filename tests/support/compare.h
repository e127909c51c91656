#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

namespace heed::test {

// `relative` for what a few layers compute of numbers of about 1: 80 ε, for sums of some dozen
// numbers, a few after another.
inline constexpr double kFloatTolerance = 1e-5;

// Two ways to the same numbers in float: they may differ by `relative` of the largest magnitude
// among them (rounding errors are those of the largest numbers that were summed), with `floor` as
// the least magnitude that counts.
inline void expect_close(const std::string& what, std::span<const float> got,
                         std::span<const float> expected, double relative, double floor = 1e-3) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  double largest = floor;
  for (const float value : expected) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  std::size_t worst = 0;
  double distance = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    if (!(error <= distance)) {
      distance = error;
      worst = i;
    }
  }
  if (got.empty()) return;
  EXPECT_LE(distance, relative * largest)
      << what << ", worst at " << worst << " of " << got.size() << ": got " << got[worst]
      << ", expected " << expected[worst] << ", largest magnitude " << largest;
}

}  // namespace heed::test
