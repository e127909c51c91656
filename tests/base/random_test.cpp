#include "heed/base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace heed {
namespace {

// The known answers published with Philox (Random123's kat_vectors).
TEST(Random, PhiloxGivesItsPublishedNumbers) {
  const std::array<std::uint32_t, 4> zero = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  EXPECT_EQ(Random::philox(0, 0), zero);
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(7);
  double sum = 0.0, squares = 0.0, uniform = 0.0;
  constexpr int kCount = 200000;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    const float u = random.uniform();
    ASSERT_GE(u, 0.0f);
    ASSERT_LT(u, 1.0f);
    uniform += u;
  }
  const double deviation = 1.0 / std::sqrt(kCount);  // of a mean of kCount draws
  EXPECT_NEAR(sum / kCount, 0.0, 5.0 * deviation);
  EXPECT_NEAR(squares / kCount, 1.0, 5.0 * std::sqrt(2.0) * deviation);
  EXPECT_NEAR(uniform / kCount, 0.5, 5.0 * deviation);
}

// Of Beta(a, a) the mean is 1/2 and the variance 1 / (4 (2 a + 1)); with a hardly above 0 it is a
// coin, whose powers are too small for a double.
TEST(Random, BetaHasItsMoments) {
  for (const double a : {1e-6, 0.2, 1.0}) {
    Random random(11);
    double sum = 0.0, squares = 0.0;
    constexpr int kCount = 50000;
    for (int i = 0; i < kCount; ++i) {
      const double x = random.beta(a);
      ASSERT_GE(x, 0.0);
      ASSERT_LE(x, 1.0);
      sum += x;
      squares += (x - 0.5) * (x - 0.5);
    }
    const double deviation = 0.5 / std::sqrt(kCount);  // at most, of both means
    EXPECT_NEAR(sum / kCount, 0.5, 5.0 * deviation) << a;
    EXPECT_NEAR(squares / kCount, 0.25 / (2.0 * a + 1.0), 5.0 * deviation) << a;
  }
}

TEST(Random, BelowReachesEveryNumberAndNoOther) {
  Random random(3);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t value = random.below(7);
    ASSERT_LT(value, 7u);
    seen.insert(value);
  }
  EXPECT_EQ(seen.size(), 7u);
}

}  // namespace
}  // namespace heed
