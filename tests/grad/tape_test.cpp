#include "heed/grad/tape.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/grad/embedding.h"
#include "heed/grad/linear.h"
#include "heed/grad/loss.h"
#include "tests/support/layouts.h"
#include "tests/support/messages.h"

namespace heed::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Tensor filled(Context& context, const Shape& shape, float value) {
  const Tensor tensor = context.arena().tensor(shape);
  std::fill_n(tensor.data, tensor.count(), value);
  return tensor;
}

TEST(Tape, AParameterUsedTwiceGetsTheSum) {
  Parameters parameters;
  const Parameter& weight = parameters.add("weight", {1, 2}, Init::constant(3.0f));
  const Parameter& unused = parameters.add("unused", {2}, Init::constant(1.0f));
  Gradients gradients(parameters);
  Context context;
  // In the second step what the first left behind must be gone.
  for (const float a : {2.0f, 5.0f}) {
    gradients.clear();
    context.begin(Mode::kTrain, &gradients);
    const Var x = context.constant(filled(context, {1, 2}, a));
    const Var z = context.constant(filled(context, {1, 2}, 0.5f));
    const Var one = grad::linear(context, x, context.parameter(weight), {});
    const Var two = grad::linear(context, z, context.parameter(weight), {});
    context.tape().backward(grad::add(context, one, two, 1.0f, 4.0f));
    EXPECT_FLOAT_EQ(gradients.dense(weight)[0], a + 4.0f * 0.5f);
    EXPECT_FLOAT_EQ(gradients.dense(weight)[1], a + 4.0f * 0.5f);
    EXPECT_FALSE(gradients.touched(unused));
    EXPECT_EQ(gradients.dense(unused)[1], 0.0f);
  }
}

TEST(Tape, AValueUsedTwiceGetsTheSum) {
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Var x = context.tape().variable(filled(context, {1, 1}, 3.0f));
  context.tape().backward(grad::add(context, grad::multiply(context, x, x), x, 1.0f, 10.0f));
  EXPECT_FLOAT_EQ(context.tape().gradient(x)[0], 2.0f * 3.0f + 10.0f);
}

TEST(Tape, ASparseTableGetsOnlyTheRowsThatWereLookedUp) {
  Parameters parameters;
  const Parameter& table = parameters.add("table", {1000, 2}, Init::normal(1.0f), {.sparse = true});
  Gradients gradients(parameters);
  Context context;
  for (int step = 0; step < 2; ++step) {
    gradients.clear();
    EXPECT_FALSE(gradients.touched(table));
    context.begin(Mode::kTrain, &gradients);
    const std::vector<std::int32_t> ids = {7, 900, 7}, more = {900, 3};
    const auto ones = [&](Index rows, Index columns) {
      return context.constant(filled(context, {rows, columns}, 1.0f));
    };
    const Var y = grad::embedding(context, ids, table, 2.0f);
    const Var z = grad::embedding(context, more, table);
    // Σ y + 10 Σ z
    const Var sum_y = grad::linear(context, grad::product(context, ones(1, 3), y), ones(1, 2), {});
    const Var sum_z = grad::linear(context, grad::product(context, ones(1, 2), z), ones(1, 2), {});
    context.tape().backward(grad::add(context, sum_y, sum_z, 1.0f, 10.0f));
    SparseRows& rows = gradients.sparse(table);
    const std::vector<std::int32_t> found(rows.ids().begin(), rows.ids().end());
    EXPECT_EQ(found.size(), 3u);
    EXPECT_EQ(rows.at(7)[1], 4.0f);     // twice, scaled by 2
    EXPECT_EQ(rows.at(900)[0], 12.0f);  // from both look-ups
    EXPECT_EQ(rows.at(3)[0], 10.0f);
    EXPECT_EQ(rows.ids().size(), 3u) << "asking made no new row";
  }
}

TEST(Tape, BackwardFromAConstantReachesNobody) {
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Var x = context.tape().variable(filled(context, {1}, 3.0f));
  const Var c = context.constant(filled(context, {1}, 2.0f));
  context.tape().backward(c);
  context.tape().backward(grad::add(context, c, c));
  EXPECT_EQ(context.tape().gradient(x)[0], 0.0f);
  EXPECT_THROW(context.tape().gradient(c), UsageError);
}

// A second way back would send what is already there once more.
TEST(Tape, BackwardGoesOnce) {
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Var x = context.tape().variable(filled(context, {1}, 3.0f));
  const Var y = grad::add(context, x, x);
  context.tape().backward(y);
  EXPECT_THROW(context.tape().backward(y), UsageError);
  EXPECT_EQ(context.tape().gradient(x)[0], 2.0f);
  context.begin(Mode::kTrain, &gradients);
  const Var z = context.tape().variable(filled(context, {1}, 3.0f));
  context.tape().backward(z);
  EXPECT_EQ(context.tape().gradient(z)[0], 1.0f);
}

TEST(Tape, BackwardRefusesWhatItCannotBeginFrom) {
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Var x = context.tape().variable(filled(context, {2, 3}, 3.0f));
  EXPECT_EQ(message_of([&] { context.tape().backward(x); }),
            "[backward] expected a single number to begin from, got (2, 3); pass a gradient");
  EXPECT_EQ(message_of([&] {
              context.tape().backward(x, filled(context, {3, 2}, 1.0f));
            }),
            "[backward] expected a gradient of (2, 3), got (3, 2)");
  context.begin(Mode::kEvaluate);
  const Var y = context.tape().variable(filled(context, {1}, 3.0f));
  EXPECT_FALSE(y.differentiable());
  EXPECT_THROW(context.tape().backward(y), UsageError);
}

TEST(Tape, RefusesAValueOfAnotherPass) {
  Parameters parameters;
  const Parameter& weight = parameters.add("weight", {1, 2}, Init::constant(3.0f));
  Gradients gradients(parameters);
  Context context, other;
  float numbers[] = {1.0f, 2.0f};
  context.begin(Mode::kTrain, &gradients);
  const Var stale = context.tape().variable({numbers, {1, 2}});
  [[maybe_unused]] const Var stale_weight = context.parameter(weight);
  context.begin(Mode::kTrain, &gradients);
  other.begin(Mode::kTrain, &gradients);
  const Var foreign = other.tape().variable({numbers, {1, 2}});
  [[maybe_unused]] const Var own = context.tape().variable({numbers, {1, 2}});

  const auto refused = [&](const char* operation, const auto& body) {
    const std::string said = message_of(body);
    EXPECT_EQ(said.find("[" + std::string(operation) + "]"), 0u) << said;
    EXPECT_NE(said.find("(1, 2)"), std::string::npos) << said;
    EXPECT_NE(said.find("earlier pass"), std::string::npos) << said;
  };
  const Tensor gradient{numbers, {1, 2}};
  for (const Var& wrong : {stale, foreign}) {
    refused("backward", [&] { context.tape().backward(wrong, gradient); });
    refused("gradient", [&] { context.tape().gradient(wrong); });
  }
  if (Tape::operations_check_inputs()) {
    for (const Var& wrong : {stale, stale_weight, foreign}) {
      refused("add", [&] { grad::add(context, own, wrong); });
      refused("multiply", [&] { grad::multiply(context, wrong, own); });
    }
    context.begin(Mode::kEvaluate);
    refused("add", [&] { grad::add(context, own, {gradient, -1}); });
  }
  // The constant with the same numbers is welcome.
  context.begin(Mode::kTrain, &gradients);
  const Var mine = context.tape().variable({numbers, {1, 2}});
  const Var sum = grad::add(context, mine, {stale.value, -1});
  context.tape().backward(sum, gradient);
  EXPECT_EQ(context.tape().gradient(mine)[1], 2.0f);
}

TEST(Context, RefusesNumbersThatAreNotFinite) {
  Context context;
  context.begin(Mode::kEvaluate);
  const Tensor numbers = filled(context, {40, 5}, 1.0f);
  EXPECT_EQ(context.constant(numbers).value.data, numbers.data);
  numbers[13 * 5 + 2] = kNan;
  EXPECT_EQ(message_of([&] { context.constant(numbers, "frames"); }),
            "[frames] expected finite numbers, got nan in row 13, column 2 of (40, 5)");
  EXPECT_THROW(context.constant(numbers), NumericError);
  numbers[13 * 5 + 2] = 1.0f;
  numbers[39 * 5 + 4] = -kInfinity;
  EXPECT_EQ(message_of([&] { context.constant(numbers); }),
            "[input] expected finite numbers, got -inf in row 39, column 4 of (40, 5)");
  numbers[39 * 5 + 4] = std::numeric_limits<float>::max();
  EXPECT_NO_THROW(context.constant(numbers));
  EXPECT_NO_THROW(context.constant(filled(context, {0, 5}, 0.0f)));
}

TEST(Tape, NamesTheFirstOperationWhoseValueIsNotFinite) {
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Var x = context.tape().variable(filled(context, {2, 3}, 1e30f));
  const Var y = grad::add(context, x, x);
  EXPECT_EQ(context.tape().first_non_finite_value(), "");
  const Var z = grad::multiply(context, y, y);
  grad::activation(context, z, kernel::Activation::kRelu);
  EXPECT_EQ(context.tape().first_non_finite_value(), "multiply, operation 3 of the step, (2, 3)");
}

TEST(Tape, NamesTheOperationThatFirstSentBackWhatIsNotFinite) {
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Var x = context.tape().variable(filled(context, {1, 2}, 1.0f));
  const Var y = grad::add(context, x, x, 1e20f, 0.0f);
  const Var z = grad::multiply(context, y, y);  // infinite; 2e20 flows back to y, 2e40 to x
  EXPECT_EQ(context.tape().first_non_finite_value(), "multiply, operation 3 of the step, (1, 2)");
  EXPECT_EQ(context.tape().backward_watched(z, filled(context, {1, 2}, 1.0f)),
            "add, operation 2 of the step, (1, 2)");

  context.begin(Mode::kTrain, &gradients);
  const Var a = context.tape().variable(filled(context, {1, 2}, 1.0f));
  const Var b = grad::add(context, a, a, 1e20f, 0.0f);
  EXPECT_EQ(context.tape().backward_watched(b, filled(context, {1, 2}, kInfinity)),
            "what was sent back at first");

  context.begin(Mode::kTrain, &gradients);
  const Var fine = context.tape().variable(filled(context, {1, 2}, 1.0f));
  const Var sum = grad::add(context, fine, fine, 3.0f, 4.0f);
  EXPECT_EQ(context.tape().backward_watched(sum, filled(context, {1, 2}, 2.0f)), "");
  EXPECT_EQ(context.tape().gradient(fine)[1], 14.0f);
}

// All that flows between operations may be finite, and a sum in the parameter's own gradient not.
TEST(Tape, NamesTheOperationThatMadeAParametersGradientNotFinite) {
  Parameters parameters;
  const Parameter& weight = parameters.add("out.weight", {1, 2}, Init::constant(1e-20f));
  Gradients gradients(parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Var x = context.constant(filled(context, {3, 2}, 1e30f));
  const Var y = grad::linear(context, x, context.parameter(weight), {});
  EXPECT_EQ(context.tape().backward_watched(y, filled(context, {3, 1}, 1e30f)),
            "linear, operation 2 of the step, (3, 1)");
}

TEST(Tape, ASparseTableIsNoOrdinaryValue) {
  Parameters parameters;
  const Parameter& table = parameters.add("words", {3, 2}, Init::constant(1.0f), {.sparse = true});
  const Parameter& frozen =
      parameters.add("given", {3, 2}, Init::constant(1.0f), {.frozen = true, .sparse = true});
  Gradients gradients(parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  EXPECT_THROW(context.parameter(table), UsageError) << "it would silently learn nothing";
  EXPECT_FALSE(context.parameter(frozen).differentiable());
  context.begin(Mode::kEvaluate);
  EXPECT_EQ(context.parameter(table).value.data, table.value.data);
}

}  // namespace
}  // namespace heed::test
