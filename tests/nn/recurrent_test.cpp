#include "heed/nn/recurrent.h"

#include <gtest/gtest.h>

#include "tests/support/layers.h"
#include "tests/support/messages.h"

namespace heed::test {
namespace {

using nn::Recurrent;
using nn::RecurrentKind;
using nn::RecurrentOptions;

const std::vector<Index> kRecurrentLengths = {3, 7, 0, 1, 7};

class RecurrentLayer : public testing::TestWithParam<RecurrentKind> {
 protected:
  RecurrentOptions options() const { return {.kind = GetParam(), .width = 5, .hidden = 6}; }
};

std::string name_of(const testing::TestParamInfo<RecurrentKind>& kind) {
  constexpr const char* kNames[] = {"rnn", "lstm", "gru"};
  return kNames[static_cast<int>(kind.param)];
}

INSTANTIATE_TEST_SUITE_P(Kinds, RecurrentLayer,
                         testing::Values(RecurrentKind::kRnn, RecurrentKind::kLstm,
                                         RecurrentKind::kGru),
                         name_of);

TEST_P(RecurrentLayer, ABatchEqualsItsSequencesOneByOne) {
  RecurrentOptions stacked = options();
  stacked.layers = 2;
  stacked.bidirectional = true;
  Parameters parameters;
  expect_batch_equals_its_sequences(Recurrent(parameters, stacked), kRecurrentLengths, 5);
}

TEST_P(RecurrentLayer, ReversingSequencesAndDirectionReversesTheStates) {
  RecurrentOptions both = options();
  both.bidirectional = true;
  Parameters parameters;
  const Recurrent layer(parameters, both);
  // The same weights in both directions.
  for (const char* name : {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
    const Tensor& from = parameters.find(std::string("0.forward.") + name)->value;
    const Tensor& to = parameters.find(std::string("0.backward.") + name)->value;
    std::copy_n(from.data, from.count(), to.data);
  }
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, kRecurrentLengths, 5);
  const Sequences y = layer(context, x);
  const Sequences z = reversed(context, layer(context, reversed(context, x)));
  for (Index row = 0; row < y.rows.rows(); ++row) {
    const Tensor forward{y.rows.value.row(row), {6}}, backward{y.rows.value.row(row) + 6, {6}};
    expect_same(Tensor{z.rows.value.row(row) + 6, {6}}, forward);
    expect_same(Tensor{z.rows.value.row(row), {6}}, backward);
  }
}

TEST_P(RecurrentLayer, AStateKnowsTheRowsBeforeItAndNoneAfter) {
  Parameters parameters;
  const Recurrent layer(parameters, options());
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {6}, 5);
  const Tensor before = layer(context, x).rows.value;
  x.rows.value.row(3)[0] += 1.0f;
  const Tensor after = layer(context, x).rows.value;
  for (Index row = 0; row < 6; ++row) {
    const bool same = std::equal(before.row(row), before.row(row) + 6, after.row(row));
    EXPECT_EQ(same, row < 3) << "row " << row;
  }
}

TEST_P(RecurrentLayer, GradientsReachEveryParameter) {
  RecurrentOptions stacked = options();
  stacked.layers = 3;
  stacked.bidirectional = true;
  stacked.dropout = 0.2f;
  Parameters parameters;
  expect_gradients_everywhere(parameters, Recurrent(parameters, stacked), kRecurrentLengths, 5);
}

TEST_P(RecurrentLayer, DropoutOnlyActsBetweenLayersAndOnlyInTraining) {
  const auto train_equals_test = [&](Index layers) {
    RecurrentOptions dropped = options();
    dropped.layers = layers;
    dropped.dropout = 0.5f;
    Parameters parameters;
    const Recurrent layer(parameters, dropped);
    Context training, evaluation;
    training.begin(Mode::kTrain);
    evaluation.begin(Mode::kEvaluate);
    const Tensor a = layer(training, random_sequences(training, kRecurrentLengths, 5)).rows.value;
    const Tensor b =
        layer(evaluation, random_sequences(evaluation, kRecurrentLengths, 5)).rows.value;
    return std::equal(a.data, a.data + a.count(), b.data);
  };
  EXPECT_TRUE(train_equals_test(1));
  EXPECT_FALSE(train_equals_test(2));
}

TEST(Recurrent, ParametersAreNamedAndShapedAsInPyTorch) {
  Parameters parameters;
  const Recurrent layer(
      parameters,
      {.kind = RecurrentKind::kGru, .width = 5, .hidden = 6, .layers = 2, .bidirectional = true});
  EXPECT_EQ(layer.width(), 12);
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) {
    names.push_back(parameter.name + " " + parameter.value.shape.text());
  }
  EXPECT_EQ(
      names,
      (std::vector<std::string>{
          "0.forward.weight_ih (18, 5)", "0.forward.weight_hh (18, 6)", "0.forward.bias_ih (18)",
          "0.forward.bias_hh (18)", "0.backward.weight_ih (18, 5)", "0.backward.weight_hh (18, 6)",
          "0.backward.bias_ih (18)", "0.backward.bias_hh (18)", "1.forward.weight_ih (18, 12)",
          "1.forward.weight_hh (18, 6)", "1.forward.bias_ih (18)", "1.forward.bias_hh (18)",
          "1.backward.weight_ih (18, 12)", "1.backward.weight_hh (18, 6)",
          "1.backward.bias_ih (18)", "1.backward.bias_hh (18)"}));
}

TEST(Recurrent, AWarmStepTakesNoMoreMemory) {
  Parameters parameters;
  const Recurrent layer(parameters, {.width = 5, .hidden = 6, .layers = 2, .bidirectional = true});
  Gradients gradients(parameters);
  Context context;
  std::size_t capacity = 0;
  for (int step = 0; step < 4; ++step) {
    gradients.clear();
    context.begin(Mode::kTrain, &gradients);
    const Sequences y = layer(context, random_sequences(context, {400, 300, 1}, 5));
    context.tape().backward(y.rows, random_tensor(context, y.rows.shape()));
    const std::size_t now = context.arena().capacity() + context.tape().scratch().capacity();
    if (step >= 2) {
      EXPECT_EQ(now, capacity) << "step " << step;
    }
    capacity = now;
  }
}

TEST(Recurrent, WrongShapesAreErrorsThatNameTheOperation) {
  Parameters parameters;
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {2, 3}, 4);
  const std::pair<RecurrentKind, const char*> kinds[] = {{RecurrentKind::kRnn, "[rnn] "},
                                                         {RecurrentKind::kLstm, "[lstm] "},
                                                         {RecurrentKind::kGru, "[gru] "}};
  for (const auto& [kind, name] : kinds) {
    const Recurrent layer(Scope(parameters) / name, {.kind = kind, .width = 5, .hidden = 6});
    EXPECT_PRED2(starts_with, message_of<ShapeError>([&] { layer(context, x); }), name);
  }
  const Recurrent layer(Scope(parameters) / "fits", {.width = 4, .hidden = 6});
  const Sequences torn{x.rows, layout_of(context, {2, 2})};
  EXPECT_PRED2(starts_with, message_of<ShapeError>([&] { layer(context, torn); }), "[lstm] ");
  EXPECT_PRED2(starts_with, message_of<UsageError>([&] { Recurrent(parameters, {.width = 4}); }),
               "[recurrent] ");
}

// Sequences of kRecurrentLengths in two calls, of which the first leaves some without rows.
TEST_P(RecurrentLayer, StatesGoOnWhereTheyStopped) {
  RecurrentOptions stacked = options();
  stacked.layers = 2;
  Parameters parameters;
  const Recurrent layer(parameters, stacked);
  Context context, first, second;
  context.begin(Mode::kEvaluate);
  const Layout whole_layout = Layout::of(context.arena(), kRecurrentLengths);
  const Var rows = context.constant(random_tensor(context, {whole_layout.rows(), 5}));
  const Sequences whole = layer(context, {rows, whole_layout});
  const std::vector<Index> begun = {2, 0, 0, 1, 6};
  nn::RecurrentStates states;
  const auto read = [&](Context& other, bool end) {
    other.begin(Mode::kEvaluate);
    std::vector<Index> lengths;
    std::vector<float> values;
    for (std::size_t s = 0; s < kRecurrentLengths.size(); ++s) {
      const Index from = end ? begun[s] : 0, to = end ? kRecurrentLengths[s] : begun[s];
      lengths.push_back(to - from);
      const Index at = whole_layout.begin(static_cast<Index>(s));
      values.insert(values.end(), rows.value.row(at + from),
                    rows.value.row(at + from) + 5 * (to - from));
    }
    const Layout layout = Layout::of(other.arena(), lengths);
    const Tensor copy = other.arena().tensor({layout.rows(), 5});
    std::copy(values.begin(), values.end(), copy.data);
    const Sequences y = layer(other, {other.constant(copy), layout}, states);
    for (Index s = 0; s < layout.count(); ++s) {
      for (Index i = 0; i < layout.length(s); ++i) {
        const Index at = whole_layout.begin(s) + i + (end ? begun[static_cast<std::size_t>(s)] : 0);
        for (Index c = 0; c < 6; ++c) {
          EXPECT_NEAR(y.rows.value.row(layout.begin(s) + i)[c], whole.rows.value.row(at)[c], 1e-6);
        }
      }
    }
  };
  read(first, false);
  read(second, true);
}

}  // namespace
}  // namespace heed::test
