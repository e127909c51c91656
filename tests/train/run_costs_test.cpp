#include "heed/train/run_costs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

TEST(RunCosts, AVariantThatWasTrainedGoesOnAtItsPace) {
  RunCosts costs({1.0, 8.0});
  EXPECT_TRUE(std::isnan(costs.seconds(0, 1.0)));
  costs.learn(0, 0.5, 10.0);
  EXPECT_DOUBLE_EQ(costs.seconds(0, 2.0), 40.0);
  costs.learn(0, 1.0, 30.0);
  EXPECT_DOUBLE_EQ(costs.seconds(0, 2.0), 60.0);
}

// An LSTM whose body takes eight times as long is not expected to be done as soon as a bag.
TEST(RunCosts, AnotherOneIsAsMuchSlowerAsItsBody) {
  RunCosts costs({1.0, 8.0, 2.0});
  costs.learn(0, 1.0, 10.0);
  EXPECT_DOUBLE_EQ(costs.seconds(1, 1.0), 80.0);
  costs.learn(1, 1.0, 40.0);
  EXPECT_DOUBLE_EQ(costs.seconds(1, 1.0), 40.0);
  EXPECT_DOUBLE_EQ(costs.seconds(2, 1.0), 2.0 * 0.5 * (10.0 + 5.0));
}

TEST(RunCosts, NothingIsLearnedFromNothing) {
  RunCosts costs({1.0});
  costs.learn(0, 0.0, 5.0);
  costs.learn(0, 1.0, 0.0);
  EXPECT_TRUE(std::isnan(costs.seconds(0, 1.0)));
}

}  // namespace
}  // namespace heed
