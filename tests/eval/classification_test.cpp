#include "heed/eval/classification.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/random.h"

namespace heed {
namespace {

using Ids = std::vector<std::int32_t>;

// truth 0 0 0 0 1 1 2 against 0 0 1 2 1 0 2: class 0 is found 2 of 4 times and said 3 times, and
// so on; the fractions below are worked out by hand.
TEST(Classification, SmallCaseByHand) {
  const Classification result =
      score_classes(Ids{0, 0, 0, 0, 1, 1, 2}, Ids{0, 0, 1, 2, 1, 0, 2}, 3);
  EXPECT_EQ(result.examples, 7);
  EXPECT_EQ(result.confusion, (std::vector<Index>{2, 1, 1, 1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(result.confused(1, 0), 1);
  EXPECT_EQ(result.confused(0, 2), 1);
  EXPECT_DOUBLE_EQ(result.accuracy.value, 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(result.scores[0].precision(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(result.scores[0].recall(), 0.5);
  EXPECT_DOUBLE_EQ(result.scores[0].f1(), 4.0 / 7.0);
  EXPECT_DOUBLE_EQ(result.scores[1].f1(), 0.5);
  EXPECT_DOUBLE_EQ(result.scores[2].precision(), 0.5);
  EXPECT_DOUBLE_EQ(result.scores[2].f1(), 2.0 / 3.0);
  EXPECT_EQ(result.scores[0].support, 4);
  EXPECT_DOUBLE_EQ(result.macro_f1.value, (4.0 / 7.0 + 0.5 + 2.0 / 3.0) / 3.0);
  EXPECT_DOUBLE_EQ(result.weighted_f1, (4 * 4.0 / 7.0 + 2 * 0.5 + 2.0 / 3.0) / 7.0);
}

// Class 1 is only said, class 2 only true, class 3 neither: the first two count as 0 in the macro
// average, the last does not count.
TEST(Classification, ZeroDivisionIsZeroAndAbsentClassesAreLeftOut) {
  const Classification result = score_classes(Ids{0, 0, 2}, Ids{0, 1, 0}, 4);
  EXPECT_DOUBLE_EQ(result.scores[0].f1(), 0.5);
  for (const std::size_t empty : {1u, 2u, 3u}) {
    EXPECT_EQ(result.scores[empty].precision(), 0.0);
    EXPECT_EQ(result.scores[empty].recall(), 0.0);
    EXPECT_EQ(result.scores[empty].f1(), 0.0);
  }
  EXPECT_DOUBLE_EQ(result.macro_f1.value, 0.5 / 3.0);
  EXPECT_DOUBLE_EQ(result.weighted_f1, 2 * 0.5 / 3.0);
}

TEST(Classification, PerfectPredictionIsOne) {
  const Ids ids = {0, 3, 1, 1, 3};
  const Classification result = score_classes(ids, ids, 5);
  for (const Measure& measure : {result.accuracy, result.macro_f1}) {
    EXPECT_EQ(measure.value, 1.0);
    EXPECT_NEAR(measure.interval.low, 0.5655, 1e-4) << "Wilson's, of 5 of 5";
    EXPECT_EQ(measure.interval.high, 1.0);
  }
  EXPECT_EQ(result.weighted_f1, 1.0);
}

TEST(Classification, OrderOfExamplesChangesNothingAndIntervalsHoldTheScore) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::uint32_t classes = 1 + random.below(12);
    const std::uint32_t examples = 1 + random.below(200);
    Ids truth, predicted;
    for (std::uint32_t i = 0; i < examples; ++i) {
      truth.push_back(static_cast<std::int32_t>(random.below(classes)));
      predicted.push_back(random.below(3) == 0 ? static_cast<std::int32_t>(random.below(classes))
                                               : truth.back());
    }
    const Classification first = score_classes(truth, predicted, classes);
    std::reverse(truth.begin(), truth.end());
    std::reverse(predicted.begin(), predicted.end());
    const Classification second = score_classes(truth, predicted, classes);
    EXPECT_EQ(first.confusion, second.confusion);
    EXPECT_EQ(first.macro_f1.value, second.macro_f1.value);
    EXPECT_EQ(first.macro_f1.interval.low, second.macro_f1.interval.low);
    EXPECT_EQ(first.accuracy.interval.high, second.accuracy.interval.high);
    for (const Measure& measure : {first.accuracy, first.macro_f1}) {
      EXPECT_LE(0.0, measure.interval.low);
      EXPECT_LE(measure.interval.low, measure.value);
      EXPECT_LE(measure.value, measure.interval.high);
      EXPECT_LE(measure.interval.high, 1.0);
    }
  }
}

TEST(Classification, EmptyUnequalAndUnknownAreErrors) {
  EXPECT_THROW(score_classes(Ids{}, Ids{}, 2), UsageError);
  EXPECT_THROW(score_classes(Ids{0, 1}, Ids{0}, 2), ShapeError);
  EXPECT_THROW(score_classes(Ids{0, 2}, Ids{0, 0}, 2), ShapeError);
  EXPECT_THROW(score_classes(Ids{0, 0}, Ids{0, -1}, 2), ShapeError);
}

}  // namespace
}  // namespace heed
