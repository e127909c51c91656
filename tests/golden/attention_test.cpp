#include "heed/nn/attention.h"

#include <gtest/gtest.h>

#include "tests/support/compare.h"
#include "tests/support/golden.h"

namespace heed::test {
namespace {

// Float arithmetic: a few dozen rounding errors of the largest number.
constexpr double kAttentionTolerance = 2e-6;

nn::AttentionOptions options_of(const Golden& golden) {
  nn::AttentionOptions options;
  options.width = golden.size("width");
  options.heads = golden.size("heads");
  options.memory_width = golden.size("memory_width");
  return options;
}

class GoldenAttention : public testing::TestWithParam<const char*> {};

TEST_P(GoldenAttention, AgreesWithPyTorch) {
  const Golden golden(GetParam());
  Parameters parameters;
  const nn::MultiHeadAttention attention(parameters, options_of(golden));
  const bool cross = golden.size("memory_width") != golden.size("width");
  std::vector<std::string> inputs = {"x"};
  if (cross) inputs.emplace_back("memory");
  AttentionTrace trace;
  golden.expect_layer(parameters, inputs, kAttentionTolerance, [&](Context& context, auto x) {
    context.trace = &trace;
    const Sequences y = cross ? attention(context, x[0], x[1]) : attention(context, x[0]);
    std::vector<float> weights;
    for (Index s = 0; s < x[0].layout.count(); ++s) {
      for (Index h = 0; h < golden.size("heads"); ++h) {
        const std::vector<float> part = trace.weights(0, s, h);
        weights.insert(weights.end(), part.begin(), part.end());
      }
    }
    expect_close("weights", weights, golden.floats("output.weights"), kAttentionTolerance);
    return y;
  });
}

INSTANTIATE_TEST_SUITE_P(All, GoldenAttention,
                         testing::Values("attention_self", "attention_padded", "attention_cross"),
                         [](const auto& row) { return std::string(row.param); });

// The same file once more, as somebody with padded data would have it.
TEST(GoldenAttention, PaddingThatIsMaskedAgreesWithPyTorch) {
  const Golden golden("attention_padded");
  Parameters parameters;
  const nn::MultiHeadAttention attention(parameters, options_of(golden));
  golden.load(parameters);
  Gradients gradients(parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const std::vector<Index> lengths = golden.lengths("input.x");
  const Index longest = *std::max_element(lengths.begin(), lengths.end());
  const auto count = static_cast<Index>(lengths.size()), width = golden.size("width");
  const Tensor x = context.arena().tensor({count * longest, width});
  const Tensor dy = context.arena().zeros(x.shape);
  std::fill_n(x.data, x.count(), 100.0f);
  std::vector<std::uint8_t> hidden(static_cast<std::size_t>(count * longest), 1);
  const auto for_each_row = [&](auto body) {
    for (Index s = 0, row = 0; s < count; ++s) {
      for (Index i = 0; i < lengths[static_cast<std::size_t>(s)]; ++i, ++row) {
        body(s * longest + i, row * width);
      }
    }
  };
  for_each_row([&](Index padded, Index begin) {
    std::copy_n(golden.floats("input.x").begin() + begin, width, x.row(padded));
    std::copy_n(golden.floats("output.dy").begin() + begin, width, dy.row(padded));
    hidden[static_cast<std::size_t>(padded)] = 0;
  });
  const Sequences y = attention(
      context, {{x, -1}, Layout::uniform(context.arena(), count, longest)}, {.hidden = hidden});
  context.tape().backward(y.rows, dy);
  for_each_row([&](Index padded, Index begin) {
    expect_close("row " + std::to_string(padded),
                 {y.rows.value.row(padded), static_cast<std::size_t>(width)},
                 golden.floats("output.y")
                     .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(width)),
                 kAttentionTolerance, 1.0);
  });
  golden.expect_gradients(gradients, kAttentionTolerance);
}

}  // namespace
}  // namespace heed::test
