#include <gtest/gtest.h>

#include "heed/nn/attention.h"
#include "heed/nn/decoder.h"
#include "tests/support/batches.h"
#include "tests/support/compare.h"

namespace heed::test {
namespace {

// What attention is given besides queries and memory, in every combination: a bank, a cache and a
// padding mask.

using nn::AttentionOptions;
using nn::MultiHeadAttention;

constexpr Index kExtrasWidth = 8;

AttentionOptions options_for(nn::Position position, Index slots) {
  AttentionOptions options;
  options.width = kExtrasWidth;
  options.heads = 2;
  options.mask.causal = true;
  options.position = position;
  options.memory_slots = slots;
  options.longest = 20;
  return options;
}

// Rows begin … end − 1 of the only sequence.
Sequences part(Context& context, const Sequences& x, Index begin, Index end) {
  return {{{x.rows.value.row(begin), {end - begin, x.width()}}, -1},
          layout_of(context, {end - begin})};
}

class AttentionExtrasTest : public testing::TestWithParam<nn::Position> {
 protected:
  AttentionExtrasTest() { context.begin(Mode::kEvaluate); }

  // Calls body(attention) without and with memory slots.
  template <typename Body>
  void with_each(Body body) {
    for (const Index slots : {0, 2}) {
      SCOPED_TRACE(slots);
      Parameters parameters(7);
      const MultiHeadAttention attention(parameters, options_for(GetParam(), slots));
      shake(parameters, 9);
      body(attention);
    }
  }

  Context context;
};

TEST_P(AttentionExtrasTest, StepByStepAfterABankEqualsTheWhole) {
  with_each([&](const MultiHeadAttention& attention) {
    const Sequences bank = random_sequences(context, {3}, kExtrasWidth, 1);
    const Sequences x = random_sequences(context, {6}, kExtrasWidth, 2);
    const Sequences expected = attention(context, x, {.bank = &bank});
    nn::KeyValueCache cache;
    for (const auto& [begin, end] : {std::pair<Index, Index>{0, 2}, {2, 3}, {3, 6}}) {
      const Sequences y =
          attention(context, part(context, x, begin, end), {.bank = &bank, .cache = &cache});
      expect_close("rows", y.rows.value.span(),
                   part(context, expected, begin, end).rows.value.span(), kFloatTolerance);
      EXPECT_EQ(cache.length(0), 3 + end);
    }
  });
}

// Of rows that are not padding, those after the padding included.
TEST_P(AttentionExtrasTest, PaddingAfterABankIsAsIfItWereNotThere) {
  with_each([&](const MultiHeadAttention& attention) {
    const Sequences bank = random_sequences(context, {3}, kExtrasWidth, 1);
    const Sequences x = random_sequences(context, {5}, kExtrasWidth, 2);
    const std::vector<std::uint8_t> hidden = {0, 0, 0, 1, 1};
    const Sequences y = attention(context, x, {.bank = &bank, .hidden = hidden});
    const Sequences expected = attention(context, part(context, x, 0, 3), {.bank = &bank});
    expect_close("rows", part(context, y, 0, 3).rows.value.span(), expected.rows.value.span(),
                 kFloatTolerance);
  });
}

TEST_P(AttentionExtrasTest, PaddingIsRememberedStepByStep) {
  with_each([&](const MultiHeadAttention& attention) {
    const Sequences x = random_sequences(context, {6}, kExtrasWidth, 2);
    const std::vector<std::uint8_t> hidden = {0, 1, 0, 0, 1, 0};
    const Sequences expected = attention(context, x, {.hidden = hidden});
    nn::KeyValueCache cache;
    for (Index i = 0; i < 6; ++i) {
      const std::span<const std::uint8_t> now(hidden.data() + i, 1);
      const Sequences y =
          attention(context, part(context, x, i, i + 1), {.cache = &cache, .hidden = now});
      expect_close("row", y.rows.value.span(), part(context, expected, i, i + 1).rows.value.span(),
                   kFloatTolerance);
    }
  });
}

TEST_P(AttentionExtrasTest, ABankStandsBeforeTheMemoryOfAnotherSequence) {
  with_each([&](const MultiHeadAttention& attention) {
    const Sequences memory = random_sequences(context, {7}, kExtrasWidth, 1);
    const Sequences x = random_sequences(context, {4}, kExtrasWidth, 2);
    const Sequences bank = part(context, memory, 0, 3);
    const Sequences expected = attention(context, x, memory);
    const Sequences y = attention(context, x, part(context, memory, 3, 7), {.bank = &bank});
    expect_close("rows", y.rows.value.span(), expected.rows.value.span(), kFloatTolerance);
  });
}

INSTANTIATE_TEST_SUITE_P(All, AttentionExtrasTest,
                         testing::Values(nn::Position::kNone, nn::Position::kSinusoidal,
                                         nn::Position::kTriangular, nn::Position::kLearned,
                                         nn::Position::kRotary, nn::Position::kAlibi,
                                         nn::Position::kRelative));

TEST(AttentionExtras, ADecoderTakesAPaddedMemoryStepByStep) {
  nn::DecoderOptions options;
  options.attention = options_for(nn::Position::kLearned, 0);
  options.feed_forward.hidden = 12;
  options.layers = 2;
  Parameters parameters(7);
  const nn::Decoder decoder(parameters, options);
  shake(parameters, 9);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences memory = random_sequences(context, {5}, kExtrasWidth, 1);
  const Sequences x = random_sequences(context, {4}, kExtrasWidth, 2);
  const std::vector<std::uint8_t> hidden = {0, 0, 1, 0, 1};
  const Sequences expected = decoder(context, x, memory, {.memory = hidden});
  nn::DecoderCache cache;
  for (Index i = 0; i < 4; ++i) {
    const Sequences y =
        decoder(context, part(context, x, i, i + 1), memory, cache, {.memory = hidden});
    expect_close("row", y.rows.value.span(), part(context, expected, i, i + 1).rows.value.span(),
                 kFloatTolerance);
  }
}

// What is wrong is known before anything is kept: the right call can still be made.
TEST(AttentionExtras, ARefusedCallLeavesTheCacheAsItWas) {
  Parameters parameters(7);
  const MultiHeadAttention attention(parameters, options_for(nn::Position::kNone, 0));
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {1}, kExtrasWidth, 1);
  const Sequences two = random_sequences(context, {3, 2}, kExtrasWidth, 2);
  const Sequences one = random_sequences(context, {3}, kExtrasWidth, 3);
  nn::KeyValueCache cache;
  EXPECT_THROW(attention(context, x, two, {.cache = &cache}), ShapeError);
  const std::vector<std::uint8_t> short_mask = {0, 1};
  EXPECT_THROW(attention(context, x, one, {.cache = &cache, .hidden = short_mask}), ShapeError);
  EXPECT_TRUE(cache.empty());
  EXPECT_NO_THROW(attention(context, x, one, {.cache = &cache}));
  EXPECT_EQ(cache.length(0), 3);
  EXPECT_EQ(cache.length(-1), 0);
  EXPECT_EQ(cache.length(1), 0);
}

TEST(AttentionExtras, WhatWasKeptForAnotherLayerIsRefused) {
  Parameters parameters(7);
  const MultiHeadAttention narrow(Scope(parameters) / "narrow",
                                  options_for(nn::Position::kNone, 0));
  AttentionOptions wider = options_for(nn::Position::kNone, 0);
  wider.width = 2 * kExtrasWidth;
  const MultiHeadAttention wide(Scope(parameters) / "wide", wider);
  Context context;
  context.begin(Mode::kEvaluate);
  nn::KeyValueCache cache;
  narrow(context, random_sequences(context, {2}, kExtrasWidth, 1), {.cache = &cache});
  EXPECT_THROW(
      wide(context, random_sequences(context, {1}, 2 * kExtrasWidth, 1), {.cache = &cache}),
      ShapeError);

  nn::EncoderOptions small{.attention = options_for(nn::Position::kNone, 0)};
  small.feed_forward.hidden = 4;
  nn::EncoderOptions large = small;
  large.attention.width = 2 * kExtrasWidth;
  const nn::Encoder first(Scope(parameters) / "first", small);
  const nn::Encoder second(Scope(parameters) / "second", large);
  nn::MemoryBank bank(4);
  first(context, random_sequences(context, {3}, kExtrasWidth, 1), bank);
  EXPECT_THROW(second(context, random_sequences(context, {3}, 2 * kExtrasWidth, 1), bank),
               ShapeError);
  EXPECT_THROW(nn::MemoryBank(-1), UsageError);
}

// Padding of one segment is not there for the next.
TEST(AttentionExtras, ABankKeepsNoPadding) {
  nn::EncoderOptions options{.attention = options_for(nn::Position::kNone, 0)};
  options.feed_forward.hidden = 12;
  Parameters parameters(7);
  const nn::Encoder encoder(parameters, options);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {7}, kExtrasWidth, 1);
  const Sequences next = random_sequences(context, {2}, kExtrasWidth, 2);
  const std::vector<std::uint8_t> hidden = {0, 0, 0, 0, 1, 1, 1};
  nn::MemoryBank padded(3), plain(3);
  encoder(context, x, padded, hidden);
  encoder(context, part(context, x, 0, 4), plain);
  expect_close("rows", encoder(context, next, padded).rows.value.span(),
               encoder(context, next, plain).rows.value.span(), kFloatTolerance);
}

// The same numbers, but as a constant: nothing may flow back through keys and values.
TEST(AttentionExtras, AConstantMemoryIsNotDifferentiatedThrough) {
  Parameters parameters(7);
  const MultiHeadAttention attention(parameters, options_for(nn::Position::kNone, 0));
  const auto gradient = [&](bool copied) {
    Gradients gradients(parameters);
    Context context;
    context.begin(Mode::kTrain, &gradients);
    const Tensor numbers = random_tensor(context, {4, kExtrasWidth}, 1);
    const Layout layout = layout_of(context, {4});
    const Var x = context.tape().variable(numbers);
    const Tensor seen = copied ? context.arena().copy(numbers) : numbers;
    const Sequences y = attention(context, {x, layout}, Sequences{{seen, -1}, layout});
    context.tape().backward(y.rows, random_tensor(context, y.rows.shape(), 3));
    const auto span = context.tape().gradient(x).span();
    return std::vector<float>(span.begin(), span.end());
  };
  EXPECT_EQ(gradient(false), gradient(true));
}

// A window wider than any sequence is no window.
TEST(AttentionExtras, AnEndlessWindowSeesEverything) {
  AttentionOptions options = options_for(nn::Position::kNone, 0);
  options.mask.causal = false;
  AttentionOptions endless = options;
  endless.mask.before = endless.mask.after = std::numeric_limits<Index>::max();
  Parameters parameters(7), same(7);
  const MultiHeadAttention all(parameters, options), windowed(same, endless);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {9}, kExtrasWidth, 1);
  expect_close("rows", windowed(context, x).rows.value.span(), all(context, x).rows.value.span(),
               1e-7);
}

// Weights are those of the pass that the context is in.
TEST(AttentionExtras, ATraceBeginsAnewWithEachPass) {
  Parameters parameters(7);
  const MultiHeadAttention attention(parameters, options_for(nn::Position::kNone, 0));
  Context context;
  AttentionTrace trace;
  context.trace = &trace;
  for (int pass = 0; pass < 2; ++pass) {
    context.begin(Mode::kEvaluate);
    attention(context, random_sequences(context, {3}, kExtrasWidth, 1));
    EXPECT_EQ(trace.calls(), 1);
  }
}

}  // namespace
}  // namespace heed::test
