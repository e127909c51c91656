#include "heed/grad/parameters.h"

#include <gtest/gtest.h>

#include "heed/grad/gradients.h"

namespace heed {
namespace {

void add_some(Parameters& parameters) {
  parameters.add("a", {3, 5}, Init::uniform(0.5f));
  parameters.add_stack({"b", "c"}, {4}, Init::normal(2.0f));
  parameters.add("d", {2}, Init::constant(7.0f));
}

std::vector<float> numbers_of(const Parameters& parameters) {
  std::vector<float> numbers;
  for (const Parameter& parameter : parameters) {
    numbers.insert(numbers.end(), parameter.value.span().begin(), parameter.value.span().end());
  }
  return numbers;
}

TEST(Parameters, ValuesThatComeLaterAreThoseThatComeAtOnce) {
  Parameters at_once(3);
  add_some(at_once);
  Parameters later(3, Parameters::Values::kLater);
  add_some(later);
  EXPECT_EQ(numbers_of(later), std::vector<float>(3 * 5 + 4 + 4 + 2, 0.0f));
  later.fill();
  EXPECT_EQ(numbers_of(later), numbers_of(at_once));

  // What has values keeps them, and what is new gets its own.
  later[0].value.data[0] = 100.0f;
  const Parameter& added = later.add("e", {1}, Init::constant(4.0f));
  EXPECT_EQ(added.value.data[0], 0.0f);
  later.fill();
  EXPECT_EQ(added.value.data[0], 4.0f);
  EXPECT_EQ(later[0].value.data[0], 100.0f);
}

// A frozen table may be larger than everything else together.
TEST(Parameters, FrozenOnesHaveNoPlaceInFlatBuffersNorRoomForGradients) {
  Parameters parameters;
  parameters.add("first", {16}, Init::constant(1.0f));
  const Index before = parameters.flat_size();
  const Parameter& dense =
      parameters.add("counts", {1000, 3}, Init::constant(1.0f), {.frozen = true});
  const Parameter& sparse =
      parameters.add("vectors", {1000, 3}, Init::constant(1.0f), {.frozen = true, .sparse = true});
  EXPECT_EQ(parameters.flat_size(), before);
  EXPECT_EQ(parameters.size(), 16 + 2 * 3000);
  EXPECT_EQ(parameters.add("last", {16}, Init::constant(1.0f)).offset, before);

  Gradients gradients(parameters);
  gradients.slot(parameters[0]).adding(16);
  gradients.slot(parameters[3]).adding(16);
  EXPECT_EQ(gradients.sum_of_squares(0, parameters.flat_size()), 0.0);
  EXPECT_FALSE(gradients.touched(dense) || gradients.touched(sparse));
}

}  // namespace
}  // namespace heed
