#include "heed/eval/paired.h"

#include <gtest/gtest.h>

#include "heed/base/random.h"

namespace heed {
namespace {

// Runs that get each example right with a chance of their own, examples being hard or easy for all.
Outcomes made_outcomes(Index runs, Index examples, double skill, std::uint64_t seed) {
  Outcomes outcomes;
  for (Index run = 0; run < runs; ++run) {
    Random luck(mix(seed, static_cast<std::uint64_t>(run)));
    Random hardness(99);
    std::vector<Index>& right = outcomes.right.emplace_back();
    for (Index i = 0; i < examples; ++i) {
      const double chance = skill + 0.3 * (hardness.uniform() - 0.5);
      right.push_back(luck.uniform() < chance ? 1 : 0);
    }
  }
  return outcomes;
}

std::vector<Index> one_each(Index examples) {
  return std::vector<Index>(static_cast<std::size_t>(examples), 1);
}

TEST(Paired, TheShareIsTheMeanOfAllRuns) {
  const Outcomes outcomes{{{1, 0, 2}, {1, 1, 1}}};
  const Measure share = right_share(outcomes, {1, 1, 3});
  EXPECT_DOUBLE_EQ(share.value, 6.0 / 10.0);
  EXPECT_LE(share.interval.low, share.value);
  EXPECT_GE(share.interval.high, share.value);
}

TEST(Paired, AClearDifferenceIsMoreThanChance) {
  const PairedDifference difference = paired_difference(
      made_outcomes(3, 1000, 0.8, 1), made_outcomes(3, 1000, 0.7, 2), one_each(1000));
  EXPECT_NEAR(difference.value, 0.1, 0.03);
  EXPECT_LT(difference.p, 0.01);
  EXPECT_GT(difference.interval.low, 0.0);
  EXPECT_LT(difference.interval.high, 0.2);
}

TEST(Paired, TheSameIsNotTakenForBetter) {
  const Outcomes same = made_outcomes(3, 500, 0.75, 1);
  const PairedDifference difference = paired_difference(same, same, one_each(500));
  EXPECT_EQ(difference.value, 0.0);
  EXPECT_GT(difference.p, 0.5);
}

// Where there is no difference, one test in twenty comes out below 0.05: of 200 about 10, and with
// chances of 0.999 fewer than 22 (a binomial's quantile); seeds that are drawn again make the test
// bolder with few runs, so the examples alone are asked about here.
TEST(Paired, WithoutADifferenceFewTestsFindOne) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const PairedDifference difference = paired_difference(made_outcomes(1, 200, 0.7, 2 * seed),
                                                          made_outcomes(1, 200, 0.7, 2 * seed + 1),
                                                          one_each(200), {.resamples = 200});
    found += difference.p < 0.05 ? 1 : 0;
  }
  EXPECT_LT(found, 22);
}

TEST(Paired, SwappingTheTwoSwapsTheSign) {
  const Outcomes a = made_outcomes(2, 300, 0.8, 1), b = made_outcomes(2, 300, 0.75, 2);
  EXPECT_DOUBLE_EQ(paired_difference(a, b, one_each(300)).value,
                   -paired_difference(b, a, one_each(300)).value);
}

// Holm 1979, by hand: 3 · 0.01, then 2 · 0.03, and never less than those before.
TEST(Paired, HolmCorrectsForTheNumberOfTests) {
  const std::vector<double> corrected = holm({0.04, 0.01, 0.03});
  EXPECT_DOUBLE_EQ(corrected[1], 0.03);
  EXPECT_DOUBLE_EQ(corrected[2], 0.06);
  EXPECT_DOUBLE_EQ(corrected[0], 0.06);
  EXPECT_EQ(holm({0.9, 0.8}), (std::vector<double>{1.0, 1.0}));
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace heed
