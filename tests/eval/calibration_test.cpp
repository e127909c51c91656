#include "heed/eval/calibration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/eval/bootstrap.h"
#include "heed/eval/paired.h"

namespace heed {
namespace {

TEST(Wilson, TheTextbooksNumbers) {
  EXPECT_NEAR(wilson(85, 100).low, 0.76716, 1e-5);
  EXPECT_NEAR(wilson(85, 100).high, 0.90694, 1e-5);
  EXPECT_NEAR(wilson(6, 6).low, 0.60967, 1e-5);
  EXPECT_EQ(wilson(6, 6).high, 1.0);
  EXPECT_EQ(wilson(0, 5).low, 0.0);
  EXPECT_NEAR(wilson(0, 5).high, 0.43448, 1e-5);
  EXPECT_LT(wilson(6, 6, 0.99).low, wilson(6, 6, 0.9).low);
}

TEST(Calibration, OfAnswersThatAreAsOftenRightAsTheySayTheErrorIsZero) {
  CalibrationSums sums;
  for (int i = 0; i < 10; ++i) sums.add(i < 8, 0.8, i < 8 ? 0.8 : 0.2, true);
  const Calibration result = sums.result();
  EXPECT_NEAR(result.error, 0.0, 1e-6);
  EXPECT_NEAR(result.log_loss, -0.8 * std::log(0.8) - 0.2 * std::log(0.2), 1e-6);
}

TEST(Calibration, OverconfidenceIsTheDifference) {
  CalibrationSums sums;
  for (int i = 0; i < 10; ++i) sums.add(i < 5, i % 2 == 0 ? 0.9 : 0.6, 0.5, true);
  // Of 0.9: 3 of 5 right; of 0.6: 2 of 5.
  EXPECT_NEAR(sums.result().error, 0.5 * 0.3 + 0.5 * 0.2, 1e-6);
}

TEST(Calibration, ThresholdsSayWhatIsLeft) {
  CalibrationSums sums;
  sums.add(true, 0.99, 0.99, true);
  sums.add(true, 0.75, 0.75, true);
  sums.add(false, 0.55, 0.3, true);
  sums.add(false, 0.95, 0.0, false);
  const Calibration result = sums.result();
  ASSERT_EQ(result.thresholds.size(), 6u);
  EXPECT_EQ(result.thresholds[0].answered, 4);
  EXPECT_EQ(result.thresholds[0].right, 2);
  EXPECT_EQ(result.thresholds[1].answered, 3);
  EXPECT_EQ(result.thresholds[3].answered, 2);
  EXPECT_EQ(result.unknown, 1);
  EXPECT_TRUE(std::isfinite(result.log_loss)) << "a class the model does not have is left out";
  EXPECT_NE(report(result).find("without 1 whose label"), std::string::npos) << report(result);
  EXPECT_EQ(report(Calibration()), "");
}

// Of each example: what is right in it, and all.
std::vector<std::vector<double>> made_sums(int right, int examples) {
  std::vector<std::vector<double>> sums;
  for (int i = 0; i < examples; ++i) sums.push_back({i % examples < right ? 1.0 : 0.0, 1.0});
  return sums;
}

TEST(PairedSums, AgreeWithTheSharesThatTheyAre) {
  const ScoreOfSums share = [](std::span<const double> sums) { return sums[0] / sums[1]; };
  const PairedDifference clear = paired_difference(made_sums(90, 100), made_sums(60, 100), share);
  EXPECT_NEAR(clear.value, 0.3, 1e-12);
  EXPECT_LT(clear.p, 0.01);
  EXPECT_GT(clear.interval.low, 0.1);
  const PairedDifference none = paired_difference(made_sums(60, 100), made_sums(60, 100), share);
  EXPECT_EQ(none.value, 0.0);
  EXPECT_EQ(none.p, 1.0);
}

}  // namespace
}  // namespace heed
