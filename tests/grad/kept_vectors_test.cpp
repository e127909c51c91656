#include "heed/grad/kept_vectors.h"

#include <gtest/gtest.h>

#include "heed/grad/context.h"

namespace heed {
namespace {

using Numbers = std::vector<std::int32_t>;

TEST(KeptVectors, AreFoundWithTheNumbersThatTheyWereMadeOf) {
  KeptVectors kept;
  const std::vector<float> vector = {1.0f, 2.0f};
  EXPECT_EQ(kept.find(5, Numbers{7, 8}), nullptr);
  EXPECT_TRUE(kept.keep(5, Numbers{7, 8}, vector));
  const float* found = kept.find(5, Numbers{7, 8});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(std::vector<float>(found, found + 2), vector);
  EXPECT_EQ(kept.find(5, Numbers{7}), nullptr);
  EXPECT_EQ(kept.find(5, Numbers{7, 9}), nullptr);
  EXPECT_EQ(kept.find(5, Numbers{7, 8, 9}), nullptr);
  EXPECT_EQ(kept.find(4, Numbers{}), nullptr);
  EXPECT_FALSE(kept.keep(5, Numbers{}, vector));
  EXPECT_NE(kept.find(5, Numbers{7, 8}), nullptr);
  EXPECT_EQ(kept.find(5, Numbers{}), nullptr);
}

TEST(KeptVectors, TakeNoMoreMemoryThanTheMostOfThem) {
  KeptVectors kept;
  const std::vector<float> vector(16, 1.0f);
  for (Index i = 0; i < 3 * KeptVectors::kMost; ++i) kept.keep(i, Numbers{}, vector);
  EXPECT_EQ(kept.memory(), static_cast<std::size_t>(KeptVectors::kMost) * 16 * sizeof(float));
  EXPECT_EQ(kept.find(KeptVectors::kMost, Numbers{}), nullptr);
}

TEST(KeptVectors, AreThereOnlyWhereWeightsStay) {
  Parameters parameters;
  const Parameter& table = Scope(parameters).add("table", {2, 2}, Init::constant(0.0f));
  Context context;
  context.begin(Mode::kEvaluate);
  EXPECT_EQ(context.kept_vectors(table), nullptr);
  context.keep_weights();
  EXPECT_NE(context.kept_vectors(table), nullptr);
  context.begin(Mode::kTrain);
  EXPECT_EQ(context.kept_vectors(table), nullptr);
}

}  // namespace
}  // namespace heed
