#include "heed/nn/crf.h"

#include <gtest/gtest.h>

#include "heed/kernel/rows.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

TEST(Crf, HasNamedParameters) {
  Parameters parameters;
  const nn::Crf crf(Scope(parameters) / "tags", 4);
  EXPECT_EQ(crf.tags(), 4);
  EXPECT_EQ(parameters.count(), 3);
  ASSERT_NE(parameters.find("tags.transitions"), nullptr);
  EXPECT_EQ(parameters.find("tags.transitions")->value.shape, (Shape{4, 4}));
  ASSERT_NE(parameters.find("tags.start"), nullptr);
  ASSERT_NE(parameters.find("tags.end"), nullptr);
  EXPECT_THROW(nn::Crf(parameters, 0), UsageError);
}

// Emissions that say nothing, and tags that always follow in the same order: only the chain can
// learn that, and then decodes it.
TEST(Crf, LearnsWhichTagFollowsWhich) {
  Parameters parameters(3);
  const nn::Crf crf(parameters, 3);
  Gradients gradients(parameters);
  Context context;
  const std::vector<Index> lengths = {7, 4, 1};
  const std::vector<std::int32_t> targets = {0, 2, 1, 0, 2, 1, 0, 0, 2, 1, 0, 0};
  float first = 0.0f, last = 0.0f;
  for (int step = 0; step < 200; ++step) {
    gradients.clear();
    context.begin(Mode::kTrain, &gradients);
    const Sequences emissions{context.constant(context.arena().zeros({12, 3})),
                              layout_of(context, lengths)};
    const Var loss = crf.loss(context, emissions, targets);
    (step == 0 ? first : last) = loss.value[0];
    context.tape().backward(loss);
    for (const Parameter& parameter : parameters) {
      kernel::scale(parameter.value.count(), -0.5f, gradients.dense(parameter).data,
                    parameter.value.data, kernel::Store::kAdd);
    }
  }
  EXPECT_LT(last, 0.1f * first);
  context.begin(Mode::kEvaluate);
  const Sequences emissions{context.constant(context.arena().zeros({12, 3})),
                            layout_of(context, lengths)};
  EXPECT_EQ(crf.decode(emissions), targets);
}

}  // namespace
}  // namespace heed::test
