#include "heed/nn/decoder.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/batches.h"
#include "tests/support/compare.h"

namespace heed::test {
namespace {

using nn::Decoder;
using nn::DecoderCache;
using nn::DecoderOptions;

constexpr Index kDecoderWidth = 16, kMemoryWidth = 12;

DecoderOptions small_decoder(nn::NormOrder order) {
  DecoderOptions options;
  options.attention.width = kDecoderWidth;
  options.attention.heads = 2;
  options.attention.longest = 16;
  options.memory_width = kMemoryWidth;
  options.feed_forward.hidden = 24;
  options.order = order;
  options.layers = 2;
  return options;
}

struct Variant {
  const char* name;
  std::function<void(DecoderOptions&)> change;
};
void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

const Variant kVariants[] = {
    {"plain", [](DecoderOptions&) {}},
    {"rotary", [](DecoderOptions& o) { o.attention.position = nn::Position::kRotary; }},
    {"alibi", [](DecoderOptions& o) { o.attention.position = nn::Position::kAlibi; }},
    {"relative", [](DecoderOptions& o) { o.attention.position = nn::Position::kRelative; }},
    {"location", [](DecoderOptions& o) { o.attention.score = nn::Score::kLocation; }},
    {"additive", [](DecoderOptions& o) { o.attention.score = nn::Score::kAdditive; }},
    {"cosine",
     [](DecoderOptions& o) {
       o.attention.score = nn::Score::kCosine;
       o.attention.temperature = {0.3f, true};
     }},
    {"slots", [](DecoderOptions& o) { o.attention.memory_slots = 3; }},
    {"window", [](DecoderOptions& o) { o.attention.mask.before = 2; }},
    {"rms_gated",
     [](DecoderOptions& o) {
       o.norm = nn::Norm::kRms;
       o.feed_forward.gated = true;
       o.feed_forward.activation = nn::Activation::kSilu;
     }},
    // The row that asks has a position in cross-attention as well.
    {"cross_rotary",
     [](DecoderOptions& o) {
       o.cross_attention = o.attention;
       o.cross_attention->position = nn::Position::kRotary;
       o.cross_attention->memory_slots = 1;
     }},
    {"cross_relative_window",
     [](DecoderOptions& o) {
       o.cross_attention = o.attention;
       o.cross_attention->position = nn::Position::kRelative;
       o.cross_attention->mask.before = 1;
       o.cross_attention->mask.after = 1;
     }},
    {"cross_alibi_location",
     [](DecoderOptions& o) {
       o.cross_attention = o.attention;
       o.cross_attention->position = nn::Position::kAlibi;
       o.cross_attention->score = nn::Score::kLocation;
     }},
};

class DecoderTest : public testing::TestWithParam<std::tuple<Variant, nn::NormOrder>> {
 protected:
  DecoderOptions options() const {
    DecoderOptions result = small_decoder(std::get<1>(GetParam()));
    std::get<0>(GetParam()).change(result);
    return result;
  }
};

// Rows begin … end − 1 of each sequence, as far as it goes.
Sequences slice(Context& context, const Sequences& x, Index begin, Index end) {
  std::vector<Index> lengths;
  std::vector<float> values;
  for (Index s = 0; s < x.layout.count(); ++s) {
    const Index from = std::min(begin, x.layout.length(s));
    const Index to = std::min(end, x.layout.length(s));
    lengths.push_back(to - from);
    values.insert(values.end(), x.rows.value.row(x.layout.begin(s) + from),
                  x.rows.value.row(x.layout.begin(s) + to));
  }
  const Tensor rows = context.arena().tensor({total(lengths), x.width()});
  std::copy(values.begin(), values.end(), rows.data);
  return {{rows, -1}, layout_of(context, lengths)};
}

TEST_P(DecoderTest, StepByStepEqualsTheWholeAtOnce) {
  Parameters parameters(3);
  const Decoder decoder(parameters, options());
  shake(parameters, 5);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences memory = random_sequences(context, {3, 7, 1, 4}, kMemoryWidth, 1);
  const Sequences x = random_sequences(context, {5, 2, 8, 1}, kDecoderWidth, 2);
  const Sequences whole = decoder(context, x, memory);

  DecoderCache cache;
  // Three rows together first, then one at a time. A sequence that has ended adds no rows.
  for (Index begin = 0; begin < 8;) {
    const Index end = begin == 0 ? 3 : begin + 1;
    const Sequences step = slice(context, x, begin, end);
    // Later steps have no memory to look at: it was projected once, in the first.
    const Sequences y = decoder(context, step, begin == 0 ? memory : Sequences{}, cache);
    expect_close("rows from " + std::to_string(begin), y.rows.value.span(),
                 slice(context, whole, begin, end).rows.value.span(), kFloatTolerance);
    begin = end;
    for (Index s = 0; s < x.layout.count(); ++s) {
      EXPECT_EQ(cache.length(s), std::min(end, x.layout.length(s)));
    }
  }
}

TEST_P(DecoderTest, GradientsReachEveryParameter) {
  Parameters parameters(3);
  const Decoder decoder(parameters, options());
  shake(parameters, 5);
  Gradients gradients(parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Sequences memory = random_sequences(context, {3, 7}, kMemoryWidth, 1);
  const Sequences x = random_sequences(context, {5, 2}, kDecoderWidth, 2);
  const Sequences y = decoder(context, x, memory);
  context.tape().backward(y.rows, random_weights(context, y.rows, 3));
  for (const Parameter& parameter : parameters) {
    // A bias of the keys adds the same to all scores of a row: the weights do not change.
    if (parameter.name.ends_with("k.bias")) continue;
    // Scores from positions alone have no keys.
    const bool cross = parameter.name.find("cross_attention") != std::string::npos;
    const nn::Score score = cross ? options().cross_attention.value_or(options().attention).score
                                  : options().attention.score;
    if (score == nn::Score::kLocation && parameter.name.ends_with("k.weight")) continue;
    double largest = 0.0;
    if (gradients.touched(parameter)) {
      for (const float value : gradients.dense(parameter).span()) {
        largest = std::max(largest, std::abs(static_cast<double>(value)));
      }
    }
    EXPECT_GT(largest, 1e-5) << parameter.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DecoderTest,
                         testing::Combine(testing::ValuesIn(kVariants),
                                          testing::Values(nn::NormOrder::kPost,
                                                          nn::NormOrder::kPre)),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) +
                                  (std::get<1>(row.param) == nn::NormOrder::kPost ? "_post"
                                                                                  : "_pre");
                         });

TEST(Decoder, GradientsReachTheMemory) {
  Parameters parameters(3);
  const Decoder decoder(parameters, small_decoder(nn::NormOrder::kPre));
  Gradients gradients(parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Sequences memory{context.tape().variable(random_tensor(context, {10, kMemoryWidth}, 1)),
                         layout_of(context, {3, 7})};
  const Sequences y = decoder(context, random_sequences(context, {5, 2}, kDecoderWidth, 2), memory);
  context.tape().backward(y.rows, random_weights(context, y.rows, 3));
  const Tensor gradient = context.tape().gradient(memory.rows);
  for (Index row = 0; row < gradient.rows(); ++row) {
    EXPECT_GT(*std::max_element(gradient.row(row), gradient.row(row + 1)), 1e-4f) << row;
  }
}

TEST(Decoder, ReorderedCacheContinuesTheChosenSequences) {
  Parameters parameters(3);
  const Decoder decoder(parameters, small_decoder(nn::NormOrder::kPre));
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences memory = random_sequences(context, {3, 7, 2}, kMemoryWidth, 1);
  const Sequences begin = random_sequences(context, {2, 3, 1}, kDecoderWidth, 2);
  DecoderCache cache;
  decoder(context, begin, memory, cache);
  cache.reorder(std::vector<Index>{2, 0, 2, 0});
  EXPECT_EQ(cache.length(0), 1);
  EXPECT_EQ(cache.length(1), 2);
  const Sequences next = random_sequences(context, {1, 1, 1, 1}, kDecoderWidth, 4);
  const Sequences y = decoder(context, next, {}, cache);

  const Index kept[] = {2, 0, 2, 0};
  for (Index s = 0; s < 4; ++s) {
    const auto alone = [&](const Sequences& from, Index sequence) -> Sequences {
      const Index length = from.layout.length(sequence);
      const Tensor rows{from.rows.value.row(from.layout.begin(sequence)), {length, from.width()}};
      return {{rows, -1}, layout_of(context, {length})};
    };
    DecoderCache single;
    decoder(context, alone(begin, kept[s]), alone(memory, kept[s]), single);
    const Sequences expected = decoder(context, alone(next, s), {}, single);
    expect_close("sequence " + std::to_string(s), {y.rows.value.row(s), kDecoderWidth},
                 expected.rows.value.span(), kFloatTolerance);
  }
  EXPECT_THROW(cache.reorder(std::vector<Index>{4}), ShapeError);
}

TEST(Decoder, PaddedAndMaskedEqualsRagged) {
  Parameters parameters(3);
  const Decoder decoder(parameters, small_decoder(nn::NormOrder::kPost));
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences memory = random_sequences(context, {4, 4}, kMemoryWidth, 1);
  const Sequences x = random_sequences(context, {3, 3}, kDecoderWidth, 2);
  const std::vector<std::uint8_t> hidden = {0, 0, 0, 0, 0, 0, 1, 1};
  const Sequences padded = decoder(context, x, memory, {.memory = hidden});
  const Sequences ragged_memory{{{memory.rows.value.data, {6, kMemoryWidth}}, -1},
                                layout_of(context, {4, 2})};
  const Sequences ragged = decoder(context, x, ragged_memory);
  expect_close("padded", padded.rows.value.span(), ragged.rows.value.span(), kFloatTolerance);
}

TEST(Decoder, ACacheIsNotForTrainingAndKnowsItsSequences) {
  Parameters parameters(3);
  const Decoder decoder(parameters, small_decoder(nn::NormOrder::kPost));
  Gradients gradients(parameters);
  Context context;
  DecoderCache cache;
  context.begin(Mode::kTrain, &gradients);
  EXPECT_THROW(decoder(context, random_sequences(context, {1}, kDecoderWidth, 2),
                       random_sequences(context, {2}, kMemoryWidth, 1), cache),
               UsageError);
  cache.clear();
  context.begin(Mode::kEvaluate);
  decoder(context, random_sequences(context, {1}, kDecoderWidth, 2),
          random_sequences(context, {2}, kMemoryWidth, 1), cache);
  EXPECT_THROW(decoder(context, random_sequences(context, {1, 1}, kDecoderWidth, 2), {}, cache),
               ShapeError);
}

}  // namespace
}  // namespace heed::test
