#include "heed/nn/attention.h"

#include <gtest/gtest.h>

#include "heed/nn/encoder.h"
#include "tests/nn/attention_combinations.h"
#include "tests/support/batches.h"
#include "tests/support/compare.h"

namespace heed::test {
namespace {

using nn::AttentionOptions;
using nn::MultiHeadAttention;

constexpr Index kGradientWidth = 12;

class AttentionGradients : public testing::TestWithParam<AttentionCombination> {};

// Σ w y, and its gradients where they are asked for.
double loss(const MultiHeadAttention& attention, bool self, Gradients* gradients) {
  Context context;
  context.begin(Mode::kTrain, gradients);
  const Sequences x = random_sequences(context, {4, 1, 6}, kGradientWidth, 1);
  const Sequences memory = random_sequences(context, {3, 5, 2}, kGradientWidth, 2);
  const Sequences y = self ? attention(context, x) : attention(context, x, memory);
  const Tensor weights = random_weights(context, y.rows, 3);
  if (gradients != nullptr) context.tape().backward(y.rows, weights);
  return weighted_sum(y.rows, weights);
}

// The slope of the loss along a random direction of one parameter at a time, by central
// differences with two steps, so that the third derivative falls out. Along a direction of length 1
// the loss's rounding errors (about 1e-6) then leave 1e-6 / step.
TEST_P(AttentionGradients, AgreeWithDifferencesOfTheLoss) {
  constexpr double kStep = 0.02;
  for (const bool self : {true, false}) {
    Parameters parameters(7);
    const MultiHeadAttention attention(parameters, GetParam().options);
    shake(parameters, 9, 0.2f);
    Gradients gradients(parameters);
    loss(attention, self, &gradients);
    for (const Parameter& parameter : parameters) {
      SCOPED_TRACE(parameter.name + (self ? ", self" : ", cross"));
      const Tensor gradient = gradients.dense(parameter);
      double length = 0.0;
      for (const float value : gradient.span()) length += static_cast<double>(value) * value;
      length = std::sqrt(length);
      // Mostly along the gradient, where the slope is largest, and a little beside it.
      std::vector<float> direction = random_numbers(gradient.count(), 11);
      double scale = 0.0;
      for (Index i = 0; i < gradient.count(); ++i) {
        float& component = direction[static_cast<std::size_t>(i)];
        component *= 0.3f / std::sqrt(static_cast<float>(gradient.count()));
        if (length > 0.0) component += gradient[i] / static_cast<float>(length);
        scale += static_cast<double>(component) * component;
      }
      double slope = 0.0;
      for (Index i = 0; i < gradient.count(); ++i) {
        float& component = direction[static_cast<std::size_t>(i)];
        component /= static_cast<float>(std::sqrt(scale));
        slope += static_cast<double>(component) * gradient[i];
      }
      const std::vector<float> kept(parameter.value.data,
                                    parameter.value.data + parameter.value.count());
      const auto moved = [&](double step) {
        for (Index i = 0; i < parameter.value.count(); ++i) {
          const auto place = static_cast<std::size_t>(i);
          parameter.value[i] = kept[place] + static_cast<float>(step) * direction[place];
        }
        return loss(attention, self, nullptr);
      };
      const auto difference = [&](double step) {
        return (moved(step) - moved(-step)) / (2.0 * step);
      };
      const double expected = (4.0 * difference(kStep / 2.0) - difference(kStep)) / 3.0;
      moved(0.0);
      EXPECT_NEAR(slope, expected, 2e-3 * std::max(length, 0.5));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AttentionGradients,
                         testing::ValuesIn(attention_combinations(kGradientWidth)),
                         [](const auto& row) { return row.param.name; });

// The last `rows` rows of each sequence.
Sequences last(Context& context, const Sequences& x, const std::vector<Index>& rows) {
  const Layout layout = layout_of(context, rows);
  const Tensor values = context.arena().tensor({layout.rows(), x.width()});
  for (Index s = 0; s < layout.count(); ++s) {
    std::copy(x.rows.value.row(x.layout.end(s) - layout.length(s)),
              x.rows.value.row(x.layout.end(s)), values.row(layout.begin(s)));
  }
  return {{values, -1}, layout};
}

Sequences first(Context& context, const Sequences& x, const std::vector<Index>& rows) {
  const Layout layout = layout_of(context, rows);
  const Tensor values = context.arena().tensor({layout.rows(), x.width()});
  for (Index s = 0; s < layout.count(); ++s) {
    std::copy(x.rows.value.row(x.layout.begin(s)),
              x.rows.value.row(x.layout.begin(s) + layout.length(s)), values.row(layout.begin(s)));
  }
  return {{values, -1}, layout};
}

TEST(MemoryBank, AttendingToABankEqualsTheLastRowsOfTheJoinedSequence) {
  const std::vector<Index> before = {3, 0, 5}, now = {2, 4, 1}, joined = {5, 4, 6};
  for (const AttentionCombination& combination : attention_combinations(kGradientWidth)) {
    SCOPED_TRACE(combination.name);
    Parameters parameters(7);
    const MultiHeadAttention attention(parameters, combination.options);
    shake(parameters, 9);
    Context context;
    context.begin(Mode::kEvaluate);
    const Sequences whole = random_sequences(context, joined, kGradientWidth, 1);
    const Sequences bank = first(context, whole, before);
    const Sequences y = attention(context, last(context, whole, now), {.bank = &bank});
    const Sequences expected = last(context, attention(context, whole), now);
    expect_close("rows", y.rows.value.span(), expected.rows.value.span(), kFloatTolerance);
  }
}

TEST(MemoryBank, NoGradientFlowsIntoIt) {
  AttentionOptions options;
  options.width = kGradientWidth;
  options.heads = 2;
  Parameters parameters(7);
  const MultiHeadAttention attention(parameters, options);
  Gradients gradients(parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Sequences bank{context.tape().variable(random_tensor(context, {5, kGradientWidth}, 1)),
                       layout_of(context, {2, 3})};
  const Sequences x{context.tape().variable(random_tensor(context, {7, kGradientWidth}, 2)),
                    layout_of(context, {3, 4})};
  const Sequences y = attention(context, x, {.bank = &bank});
  context.tape().backward(y.rows, random_weights(context, y.rows, 3));
  for (const float value : context.tape().gradient(bank.rows).span()) EXPECT_EQ(value, 0.0f);
  const Tensor dx = context.tape().gradient(x.rows);
  EXPECT_GT(*std::max_element(dx.data, dx.data + dx.count()), 1e-3f);
}

TEST(MemoryBank, TwoSegmentsOfACausalWindowEqualTheWholeSequence) {
  constexpr Index kWindow = 3;
  for (const nn::NormOrder order : {nn::NormOrder::kPost, nn::NormOrder::kPre}) {
    for (const nn::Position position :
         {nn::Position::kNone, nn::Position::kRotary, nn::Position::kAlibi}) {
      nn::EncoderOptions options;
      options.attention.width = kGradientWidth;
      options.attention.heads = 2;
      options.attention.mask.causal = true;
      options.attention.mask.before = kWindow;
      options.attention.position = position;
      options.feed_forward.hidden = 20;
      options.order = order;
      Parameters parameters(7);
      const nn::Encoder encoder(parameters, options);
      shake(parameters, 9);
      Context context;
      context.begin(Mode::kEvaluate);
      const std::vector<Index> joined = {9, 4, 7}, begin = {5, 1, 0}, end = {4, 3, 7};
      const Sequences whole = random_sequences(context, joined, kGradientWidth, 1);
      const Sequences expected = encoder(context, whole);
      // As many rows as the window looks back: nothing is missed.
      nn::MemoryBank bank(kWindow);
      const Sequences y1 = encoder(context, first(context, whole, begin), bank);
      const Sequences y2 = encoder(context, last(context, whole, end), bank);
      expect_close("first segment", y1.rows.value.span(),
                   first(context, expected, begin).rows.value.span(), kFloatTolerance);
      expect_close("second segment", y2.rows.value.span(),
                   last(context, expected, end).rows.value.span(), kFloatTolerance);
      // And with one row less in the bank something is.
      nn::MemoryBank short_bank(kWindow - 1);
      encoder(context, first(context, whole, begin), short_bank);
      const Sequences y3 = encoder(context, last(context, whole, end), short_bank);
      EXPECT_GT(std::abs(y3.rows.value[0] - y2.rows.value[0]), 1e-5f);
    }
  }
}

// In one pass with its states in the arena, and in passes of their own: the same. A sequence that
// ends leaves nothing behind.
TEST(MemoryBank, KeepsTheSameWithinAPassAndBetweenPasses) {
  nn::EncoderOptions options;
  options.attention.width = kGradientWidth;
  options.attention.heads = 2;
  options.feed_forward.hidden = 20;
  options.layers = 2;
  Parameters parameters(7);
  const nn::Encoder encoder(parameters, options);
  shake(parameters, 9);
  const std::vector<std::vector<Index>> segments = {{3, 2, 4}, {3, 0, 2}, {1, 0, 3}};
  Context context, apart;
  context.begin(Mode::kEvaluate);
  nn::MemoryBank within(context, options.layers, 4), between(4);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i + 1 < segments.size()) within.goes_on(layout_of(context, segments[i + 1]));
    const Sequences x = random_sequences(context, segments[i], kGradientWidth, i + 1);
    const Sequences y = encoder(context, x, within);
    apart.begin(Mode::kEvaluate);
    const Sequences z =
        encoder(apart, random_sequences(apart, segments[i], kGradientWidth, i + 1), between);
    expect_close("segment", y.rows.value.span(), z.rows.value.span(), kFloatTolerance);
  }
}

TEST(Attention, AnotherWidthOfMemoryAndValues) {
  AttentionOptions options;
  options.width = kGradientWidth;
  options.heads = 2;
  options.memory_width = 7;
  options.value_width = 10;
  Parameters parameters(7);
  const MultiHeadAttention attention(parameters, options);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {4, 1}, kGradientWidth, 1);
  const Sequences y = attention(context, x, random_sequences(context, {3, 6}, 7, 2));
  EXPECT_EQ(y.rows.shape(), (Shape{5, kGradientWidth}));
  EXPECT_THROW(attention(context, x), ShapeError);
  EXPECT_THROW(attention(context, x, random_sequences(context, {3, 6}, 8, 2)), ShapeError);
  EXPECT_THROW(attention(context, x, random_sequences(context, {3}, 7, 2)), ShapeError);
}

TEST(Attention, WrongOptionsAreRefused) {
  const auto refused = [](auto change) {
    AttentionOptions options;
    options.width = kGradientWidth;
    options.heads = 2;
    change(options);
    Parameters parameters;
    EXPECT_THROW(MultiHeadAttention(parameters, options), UsageError);
  };
  refused([](AttentionOptions& o) { o.heads = 5; });
  refused([](AttentionOptions& o) { o.heads = 0; });
  refused([](AttentionOptions& o) { o.width = 0; });
  refused([](AttentionOptions& o) { o.value_width = 7; });
  refused([](AttentionOptions& o) { o.temperature.value = 0.0f; });
  refused([](AttentionOptions& o) { o.temperature.value = 1e-45f; });
  refused([](AttentionOptions& o) { o.memory_slots = -1; });
  refused([](AttentionOptions& o) { o.mask.before = -1; });
  refused([](AttentionOptions& o) { o.windows = {2, -1}; });
  refused([](AttentionOptions& o) {
    o.heads = 4;  // depth 3
    o.position = nn::Position::kRotary;
  });
}

}  // namespace
}  // namespace heed::test
