#include "heed/nn/conformer.h"

#include <gtest/gtest.h>

#include "tests/support/layers.h"
#include "tests/support/messages.h"

namespace heed::test {
namespace {

using nn::Conformer;
using nn::ConformerOptions;
using nn::Position;

const std::vector<Index> kConformerLengths = {5, 12, 1, 8};

ConformerOptions small_conformer(Position position = Position::kNone) {
  return {.attention = {.width = 8, .heads = 2, .position = position, .longest = 16},
          .hidden = 12,
          .taps = 5,
          .layers = 2};
}

class ConformerPositions : public testing::TestWithParam<Position> {};

INSTANTIATE_TEST_SUITE_P(Kinds, ConformerPositions,
                         testing::Values(Position::kNone, Position::kRotary, Position::kRelative));

TEST_P(ConformerPositions, ABatchEqualsItsSequencesOneByOne) {
  Parameters parameters;
  expect_batch_equals_its_sequences(Conformer(parameters, small_conformer(GetParam())),
                                    kConformerLengths, 8);
}

TEST_P(ConformerPositions, GradientsReachEveryParameter) {
  ConformerOptions options = small_conformer(GetParam());
  options.dropout = 0.1f;
  options.attention.dropout = 0.1f;
  Parameters parameters;
  expect_gradients_everywhere(parameters, Conformer(parameters, options), kConformerLengths, 8);
}

TEST(Conformer, RowsComeOutAsTheyWentInAndNormed) {
  Parameters parameters;
  const Conformer layer(parameters, small_conformer());
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, kConformerLengths, 8);
  const Sequences y = layer(context, x);
  EXPECT_EQ(y.rows.shape(), (Shape{26, 8}));
  EXPECT_EQ(y.layout, x.layout);
  for (Index row = 0; row < y.rows.rows(); ++row) {
    float sum = 0.0f, squares = 0.0f;
    for (Index c = 0; c < 8; ++c) {
      sum += y.rows.value.row(row)[c];
      squares += y.rows.value.row(row)[c] * y.rows.value.row(row)[c];
    }
    EXPECT_NEAR(sum, 0.0f, 1e-5f);
    EXPECT_NEAR(squares, 8.0f, 1e-3f);
  }
}

// Without attention between them, rows know each other through the depthwise convolution alone.
TEST(Conformer, ConvolutionReachesHalfItsTapsToEachSide) {
  Parameters parameters;
  ConformerOptions options = small_conformer();
  options.layers = 1;
  options.attention.mask = {.before = 0, .after = 0};
  const Conformer layer(parameters, options);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {11}, 8);
  const Tensor before = layer(context, x).rows.value;
  x.rows.value.row(5)[0] += 1.0f;
  const Tensor after = layer(context, x).rows.value;
  for (Index row = 0; row < 11; ++row) {
    const bool same = std::equal(before.row(row), before.row(row) + 8, after.row(row));
    EXPECT_EQ(same, row < 3 || row > 7) << "row " << row;
  }
}

// With every branch's last layer at zero a block is its last norm, whatever the rest computes.
TEST(Conformer, WithSilentBranchesOnlyTheNormRemains) {
  Parameters parameters;
  ConformerOptions options = small_conformer();
  options.layers = 1;
  const Conformer layer(parameters, options);
  int silenced = 0;
  for (const Parameter& parameter : parameters) {
    if (parameter.name.find(".out.") == std::string::npos) continue;
    std::fill_n(parameter.value.data, parameter.value.count(), 0.0f);
    ++silenced;
  }
  EXPECT_EQ(silenced, 8);  // weight and bias of four branches
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, kConformerLengths, 8);
  Parameters norm_parameters;
  const nn::Normalization norm(norm_parameters, 8);
  expect_same(layer(context, x).rows.value, norm(context, x).rows.value);
}

TEST(Conformer, FeedForwardBranchesCountHalf) {
  Parameters parameters;
  ConformerOptions options = small_conformer();
  options.layers = 1;
  const Conformer layer(parameters, options);
  // Only the first feed-forward's last bias speaks: it must arrive halved.
  for (const Parameter& parameter : parameters) {
    if (parameter.name.find(".out.") == std::string::npos) continue;
    std::fill_n(parameter.value.data, parameter.value.count(), 0.0f);
  }
  const Tensor& bias = parameters.find("layers.0.feed_forward1.out.bias")->value;
  for (Index c = 0; c < 8; ++c) bias[c] = static_cast<float>(c * c) / 8.0f;
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, kConformerLengths, 8);
  const Sequences shifted{{context.arena().copy(x.rows.value), -1}, x.layout};
  for (Index row = 0; row < shifted.rows.rows(); ++row) {
    for (Index c = 0; c < 8; ++c) shifted.rows.value.row(row)[c] += 0.5f * bias[c];
  }
  Parameters norm_parameters;
  const nn::Normalization norm(norm_parameters, 8);
  expect_same(layer(context, x).rows.value, norm(context, shifted).rows.value);
}

TEST(Conformer, WrongOptionsAndShapesAreErrors) {
  Parameters parameters;
  ConformerOptions even = small_conformer();
  even.taps = 4;
  EXPECT_PRED2(starts_with,
               message_of<UsageError>([&] { Conformer(Scope(parameters) / "even", even); }),
               "[conformer] expected an odd number of taps");
  ConformerOptions none = small_conformer();
  none.layers = 0;
  EXPECT_PRED2(starts_with,
               message_of<UsageError>([&] { Conformer(Scope(parameters) / "none", none); }),
               "[conformer] expected at least one layer");
  const Conformer layer(parameters, small_conformer());
  Context context;
  context.begin(Mode::kEvaluate);
  EXPECT_PRED2(starts_with, message_of<ShapeError>([&] {
                 layer(context, random_sequences(context, {2, 3}, 7));
               }),
               "[norm] ");
}

}  // namespace
}  // namespace heed::test
