#include "heed/nn/encoder.h"

#include <gtest/gtest.h>

#include "tests/reference/recurrent.h"
#include "tests/support/layers.h"
#include "tests/support/messages.h"

namespace heed::test {
namespace {

using nn::Encoder;
using nn::EncoderOptions;
using nn::NormOrder;

constexpr Index kEncoderWidth = 8;
const std::vector<Index> kEncoderLengths = {5, 12, 0, 1, 8};

EncoderOptions convolving(Index taps, bool recurrent = false, NormOrder order = NormOrder::kPre) {
  return {.convolution = {.taps = taps, .recurrent = recurrent},
          .attention = {.width = kEncoderWidth, .heads = 2, .position = nn::Position::kRotary},
          .feed_forward = {.hidden = 12},
          .order = order,
          .layers = 2};
}

class EncoderConvolution : public testing::TestWithParam<std::tuple<bool, NormOrder>> {
 protected:
  static EncoderOptions options() {
    return convolving(3, std::get<bool>(GetParam()), std::get<NormOrder>(GetParam()));
  }
};

INSTANTIATE_TEST_SUITE_P(Kinds, EncoderConvolution,
                         testing::Combine(testing::Bool(),
                                          testing::Values(NormOrder::kPre, NormOrder::kPost)));

TEST_P(EncoderConvolution, ABatchEqualsItsSequencesOneByOne) {
  Parameters parameters;
  expect_batch_equals_its_sequences(Encoder(parameters, options()), kEncoderLengths, kEncoderWidth);
}

TEST_P(EncoderConvolution, GradientsReachEveryParameter) {
  EncoderOptions dropping = options();
  dropping.dropout = dropping.attention.dropout = 0.1f;
  Parameters parameters;
  expect_gradients_everywhere(parameters, Encoder(parameters, dropping), kEncoderLengths,
                              kEncoderWidth);
}

// From the definition: x + relu(c), or x + moving_average(c), with
// c = Σ_j W_j norm(x)_(t + j − 1) + b, zeros beyond the ends.
void expect_formula(bool recurrent) {
  SCOPED_TRACE(recurrent);
  Parameters parameters;
  const nn::EncoderLayer layer(parameters, convolving(3, recurrent));
  const Tensor& weight = parameters.find("convolution.taps.weight")->value;
  const Tensor& bias = parameters.find("convolution.taps.bias")->value;
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, kEncoderLengths, kEncoderWidth);
  Parameters norm_parameters;
  const Tensor normed = nn::Normalization(norm_parameters, kEncoderWidth)(context, x).rows.value;
  const Index outs = weight.shape[0];
  reference::Matrix<double> convolved(static_cast<int>(x.layout.rows()), static_cast<int>(outs));
  for (Index s = 0; s < x.layout.count(); ++s) {
    for (Index row = x.layout.begin(s); row < x.layout.end(s); ++row) {
      for (Index out = 0; out < outs; ++out) {
        double sum = bias[out];
        for (Index tap = 0; tap < 3; ++tap) {
          const Index from = row + tap - 1;
          if (from < x.layout.begin(s) || from >= x.layout.end(s)) continue;
          for (Index in = 0; in < kEncoderWidth; ++in) {
            sum += static_cast<double>(weight[(out * kEncoderWidth + in) * 3 + tap]) *
                   static_cast<double>(normed.row(from)[in]);
          }
        }
        convolved(static_cast<int>(row), static_cast<int>(out)) =
            recurrent ? sum : std::max(0.0, sum);
      }
    }
  }
  if (recurrent) {
    convolved =
        reference::moving_average(convolved, {kEncoderLengths.begin(), kEncoderLengths.end()}, {});
  }
  const Tensor expected = context.arena().tensor(x.rows.shape());
  for (Index i = 0; i < expected.count(); ++i) {
    expected[i] =
        x.rows.value[i] + static_cast<float>(convolved.values[static_cast<std::size_t>(i)]);
  }
  expect_same(layer.with_neighbours(context, x).rows.value, expected);
}

TEST(EncoderConvolution, AddsWhatItsFormulaSays) {
  expect_formula(false);
  expect_formula(true);
}

TEST(EncoderConvolution, APictureHasNoOrderToBeRecurrentIn) {
  EncoderOptions options = convolving(3, true);
  options.convolution.dimensions = 2;
  Parameters parameters;
  expect_in("convolution.recurrent", message_of<UsageError>([&] { Encoder(parameters, options); }));
}

// Which of so many rows change with this one, where attention sees nothing but its own row.
std::vector<Index> rows_that_follow(EncoderOptions options, Index rows, Index touched) {
  options.attention.mask = {.before = 0, .after = 0};
  Parameters parameters;
  const Encoder encoder(parameters, options);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {rows}, kEncoderWidth);
  const Tensor before = encoder(context, x).rows.value;
  x.rows.value.row(touched)[0] += 1.0f;
  const Tensor after = encoder(context, x).rows.value;
  std::vector<Index> changed;
  for (Index row = 0; row < rows; ++row) {
    if (!std::equal(before.row(row), before.row(row) + kEncoderWidth, after.row(row))) {
      changed.push_back(row);
    }
  }
  return changed;
}

TEST(EncoderConvolution, ReachesHalfItsTapsToEachSideInEveryLayer) {
  EXPECT_EQ(rows_that_follow(convolving(5), 15, 7),
            std::vector<Index>({3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(EncoderConvolution, ARecurrentOneReachesAllRows) {
  EXPECT_EQ(rows_that_follow(convolving(1, true), 6, 2), std::vector<Index>({0, 1, 2, 3, 4, 5}));
}

TEST(EncoderConvolution, CanBeInTheFirstLayersAlone) {
  EncoderOptions options = convolving(3);
  options.layers = 3;
  options.convolution.layers = 2;
  Parameters parameters;
  const Encoder encoder(parameters, options);
  EXPECT_NE(encoder.layer(0).neighbours(), nullptr);
  EXPECT_NE(encoder.layer(1).neighbours(), nullptr);
  EXPECT_EQ(encoder.layer(2).neighbours(), nullptr);
  expect_gradients_everywhere(parameters, encoder, kEncoderLengths, kEncoderWidth);
}

TEST(EncoderConvolution, WithoutItTheLayerHasNoParametersForIt) {
  Parameters parameters;
  const Encoder encoder(parameters, convolving(0));
  EXPECT_EQ(parameters.find("layers.0.convolution.taps.weight"), nullptr);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, kEncoderLengths, kEncoderWidth);
  const nn::EncoderLayer layer(Scope(parameters) / "alone", convolving(0));
  EXPECT_EQ(layer.with_neighbours(context, x).rows.value.data, x.rows.value.data);
}

// A sequence with padding behind it comes out as without: neither attention nor the convolution
// sees the padding.
TEST_P(EncoderConvolution, DoesNotSeePadding) {
  Parameters parameters;
  const Encoder encoder(parameters, options());
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences padded = random_sequences(context, {7}, kEncoderWidth);
  const std::vector<std::uint8_t> hidden = {0, 0, 0, 0, 0, 1, 1};
  const Tensor five{padded.rows.value.data, {5, kEncoderWidth}};
  const Tensor expected =
      encoder(context, {context.constant(five), layout_of(context, {5})}).rows.value;
  const Tensor got = encoder(context, padded, hidden).rows.value;
  expect_same({got.data, {5, kEncoderWidth}}, expected);
}

// What a bank keeps of a layer went through its convolution, so that attention sees the same states
// as in one piece: where the convolution sees only its own row, nothing differs.
TEST(EncoderConvolution, ABankKeepsWhatWentThroughTheConvolution) {
  EncoderOptions options = convolving(1);
  options.layers = 1;
  options.attention.position = nn::Position::kRelative;
  Parameters parameters;
  const Encoder encoder(parameters, options);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences whole = random_sequences(context, {6}, kEncoderWidth);
  const auto part = [&](Index begin, Index end) {
    const Tensor rows{whole.rows.value.row(begin), {end - begin, kEncoderWidth}};
    return Sequences{context.constant(rows), layout_of(context, {end - begin})};
  };
  nn::MemoryBank bank(6);
  encoder(context, part(0, 4), bank);
  const Tensor got = encoder(context, part(4, 6), bank).rows.value;
  const Tensor all = encoder(context, whole).rows.value;
  expect_same(got, {all.row(4), {2, kEncoderWidth}});
}

// Without a last norm, what the layers add to their input grows in proportion to `branch`, as long
// as it is so small that a layer hardly sees what those before it have added.
TEST(EncoderBranch, ScalesWhatTheLayersAdd) {
  EncoderOptions options = convolving(3);
  options.last_norm = false;
  const auto added = [&](float branch) {
    options.branch = branch;
    Parameters parameters(7);
    const Encoder encoder(parameters, options);
    EXPECT_EQ(parameters.find("norm.weight"), nullptr);
    Context context;
    context.begin(Mode::kEvaluate);
    const Sequences x = random_sequences(context, kEncoderLengths, kEncoderWidth);
    const Tensor y = encoder(context, x).rows.value;
    std::vector<float> difference;
    for (Index i = 0; i < y.count(); ++i) difference.push_back((y[i] - x.rows.value[i]) / branch);
    return difference;
  };
  const std::vector<float> one = added(2e-3f), two = added(4e-3f);
  for (std::size_t i = 0; i < one.size(); ++i) {
    // The second order is about branch · |added|², the rounding error 1e-7 · |x| / branch.
    EXPECT_NEAR(one[i], two[i], 2e-2f) << i;
  }
}

TEST(EncoderBranch, CountsWholeWhereTheNormComesBehind) {
  EncoderOptions options = convolving(0, false, NormOrder::kPost);
  const auto result = [&](Context& context) {
    Parameters parameters(7);
    const Encoder encoder(parameters, options);
    return encoder(context, random_sequences(context, kEncoderLengths, kEncoderWidth)).rows.value;
  };
  Context context;
  context.begin(Mode::kEvaluate);
  const Tensor whole = result(context);
  options.branch = 0.2f;
  expect_same(result(context), whole, 0.0f);
}

TEST(EncoderConvolution, AnEvenNumberOfTapsIsAnError) {
  for (const Index taps : {-1, 2}) {
    Parameters parameters;
    EXPECT_PRED2(starts_with,
                 message_of<UsageError>([&] { Encoder(parameters, convolving(taps)); }),
                 "[encoder] expected an odd number of taps");
  }
}

}  // namespace
}  // namespace heed::test
