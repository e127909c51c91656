#include "heed/train/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace heed {
namespace {

TEST(Schedule, WarmUpGrowsEvenlyToTheFullRate) {
  for (const Schedule kind :
       {Schedule::kConstant, Schedule::kCosine, Schedule::kLinear, Schedule::kInverseSquareRoot}) {
    const ScheduleOptions options{.kind = kind, .rate = 2.0f, .warmup = 4, .steps = 100};
    EXPECT_FLOAT_EQ(learning_rate(options, 0), 0.5f);
    EXPECT_FLOAT_EQ(learning_rate(options, 3), 2.0f);
    EXPECT_FLOAT_EQ(learning_rate(options, 4), 2.0f);
  }
}

TEST(Schedule, EachKindFallsAsItsFormulaSays) {
  ScheduleOptions options{.kind = Schedule::kCosine, .rate = 1.0f, .floor = 0.1f, .steps = 10};
  for (Index step = 0; step <= 10; ++step) {
    EXPECT_FLOAT_EQ(
        learning_rate(options, step),
        static_cast<float>(
            0.1 +
            0.9 * (1.0 + std::cos(std::numbers::pi * static_cast<double>(step) / 10.0)) / 2.0));
  }
  options.kind = Schedule::kLinear;
  EXPECT_FLOAT_EQ(learning_rate(options, 5), 0.55f);
  EXPECT_FLOAT_EQ(learning_rate(options, 20), 0.1f);
  options = {.kind = Schedule::kInverseSquareRoot, .rate = 1.0f, .warmup = 100, .steps = 1000};
  EXPECT_FLOAT_EQ(learning_rate(options, 400), 0.5f);
}

// So a run may learn on its way how long it will be.
TEST(Schedule, AfterTheWarmUpTheRateDependsOnTheShareOfTheStepsAlone) {
  for (const Schedule kind :
       {Schedule::kConstant, Schedule::kCosine, Schedule::kLinear, Schedule::kInverseSquareRoot}) {
    for (const double share : {0.06, 0.3, 0.9, 1.0}) {
      const auto rate = [&](Index steps) {
        return learning_rate_at({.kind = kind, .steps = steps}, 0.05, share);
      };
      EXPECT_FLOAT_EQ(rate(1000), rate(1017));
    }
  }
}

TEST(Schedule, RefusesWhatMakesNoSense) {
  EXPECT_THROW(learning_rate({.warmup = 10, .steps = 5}, 0), UsageError);
  EXPECT_THROW(learning_rate({}, -1), UsageError);
  EXPECT_THROW(learning_rate({.rate = std::numeric_limits<float>::quiet_NaN()}, 0), UsageError);
}

}  // namespace
}  // namespace heed
