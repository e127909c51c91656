#include "heed/eval/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

void share_of_first(std::span<const Index> counts, std::span<double> scores) {
  scores[0] = static_cast<double>(counts[0]) / static_cast<double>(counts[0] + counts[1]);
}

// A share p of n examples has the standard error √(p (1 − p) / n); 95 % of a normal distribution
// lie within 1.96 of those.
TEST(Bootstrap, IntervalOfAShareIsThatOfTheNormalApproximation) {
  for (const Index examples : {400, 10000, 1000000}) {
    const std::vector<Index> counts = {examples * 4 / 5, examples / 5};
    const Measure measure = bootstrap(counts, 1, share_of_first, {.resamples = 20000})[0];
    const double error = std::sqrt(0.8 * 0.2 / static_cast<double>(examples));
    EXPECT_DOUBLE_EQ(measure.value, 0.8);
    // A quantile of 20,000 draws is itself known to about 0.02 standard errors, and a share of 400
    // moves in steps of 0.125 of them.
    EXPECT_NEAR(measure.interval.low, 0.8 - 1.96 * error, 0.2 * error) << examples;
    EXPECT_NEAR(measure.interval.high, 0.8 + 1.96 * error, 0.2 * error) << examples;
  }
}

TEST(Bootstrap, EveryResampleHasAsManyExamplesAsTheTestSet) {
  const std::vector<Index> counts = {1, 0, 7, 300, 0, 2};
  int calls = 0;
  bootstrap(counts, 1,
            [&](std::span<const Index> drawn, std::span<double> scores) {
              Index total = 0;
              for (const Index count : drawn) {
                EXPECT_GE(count, 0);
                total += count;
              }
              EXPECT_EQ(total, 310);
              EXPECT_EQ(drawn[1], 0);
              EXPECT_EQ(drawn[4], 0);
              scores[0] = 0.0;
              ++calls;
            },
            {.resamples = 50});
  EXPECT_EQ(calls, 51);
}

// A kind with share p of n examples is drawn n p times on average, with variance n p (1 − p). The
// kinds go through every way of drawing: few, many, more than half, all that is left.
TEST(Bootstrap, ResamplesHaveTheMomentsOfAMultinomial) {
  const std::vector<Index> counts = {2, 900, 1, 60, 30, 7};
  constexpr int kResamples = 20000;
  std::vector<double> sum(counts.size()), squares(counts.size());
  int calls = 0;
  bootstrap(counts, 1,
            [&](std::span<const Index> drawn, std::span<double> scores) {
              scores[0] = 0.0;
              if (calls++ == 0) return;  // the test set itself
              for (std::size_t kind = 0; kind < drawn.size(); ++kind) {
                const auto off = static_cast<double>(drawn[kind] - counts[kind]);
                sum[kind] += off;
                squares[kind] += off * off;
              }
            },
            {.resamples = kResamples});
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    const double share = static_cast<double>(counts[kind]) / 1000.0;
    const double variance = 1000.0 * share * (1.0 - share);
    EXPECT_NEAR(sum[kind] / kResamples, 0.0, 5.0 * std::sqrt(variance / kResamples)) << kind;
    // The fourth moment of a binomial is 3 variance² + variance (1 − 6 p (1 − p)).
    const double error = std::sqrt((2.0 * variance * variance + variance) / kResamples);
    EXPECT_NEAR(squares[kind] / kResamples, variance, 5.0 * error) << kind;
  }
}

TEST(Bootstrap, TheSeedDecides) {
  const std::vector<Index> counts = {31, 12};
  const auto width = [&](std::uint64_t seed) {
    const Interval interval =
        bootstrap(counts, 1, share_of_first, {.resamples = 9, .seed = seed})[0].interval;
    return interval.high - interval.low;
  };
  EXPECT_EQ(width(1), width(1));
  EXPECT_NE(width(1), width(2));
}

TEST(Bootstrap, WithoutResamplesThereIsTheScoreAlone) {
  const std::vector<Index> counts = {1, 3};
  const Measure measure = bootstrap(counts, 1, share_of_first, {.resamples = 0})[0];
  EXPECT_EQ(measure.value, 0.25);
  EXPECT_EQ(measure.interval.low, 0.25);
  EXPECT_EQ(measure.interval.high, 0.25);
}

TEST(Bootstrap, NoExamplesAndNonsenseOptionsAreErrors) {
  const std::vector<Index> none = {0, 0}, some = {1, 1};
  EXPECT_THROW(bootstrap(none, 1, share_of_first, {}), UsageError);
  EXPECT_THROW(bootstrap(some, 1, share_of_first, {.resamples = -1}), UsageError);
  EXPECT_THROW(bootstrap(some, 1, share_of_first, {.confidence = 1.0}), UsageError);
}

}  // namespace
}  // namespace heed
