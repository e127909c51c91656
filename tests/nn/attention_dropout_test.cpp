#include <gtest/gtest.h>

#include "heed/nn/encoder.h"
#include "tests/support/batches.h"

// AttentionOptions::dropout with every other rate at 0.
namespace heed::test {
namespace {

constexpr Index kDropoutWidth = 12, kHeads = 3;
constexpr float kRate = 0.25f;

nn::AttentionOptions options_with(float dropout) {
  nn::AttentionOptions options;
  options.width = kDropoutWidth;
  options.heads = kHeads;
  options.dropout = dropout;
  return options;
}

// One row for each sequence: its only weight is 1, and what a head gives is its row's values. With
// the identity for the values and at the end, that is x itself.
void pass_values_through(const Parameters& parameters) {
  for (const char* name : {"v", "out"}) {
    const Tensor weight = parameters.find(std::string(name) + ".weight")->value;
    for (Index i = 0; i < weight.count(); ++i)
      weight[i] = i / kDropoutWidth == i % kDropoutWidth ? 1.0f : 0.0f;
    for (float& value : parameters.find(std::string(name) + ".bias")->value.span()) value = 0.0f;
  }
}

TEST(AttentionDropout, DropsTheWeightOfAHeadOrDividesItByWhatIsKept) {
  constexpr Index kSequences = 2000;
  Parameters parameters(7);
  const nn::MultiHeadAttention attention(parameters, options_with(kRate));
  pass_values_through(parameters);
  Context context;
  context.begin(Mode::kTrain, nullptr, {5, 0});
  const Sequences x =
      random_sequences(context, std::vector<Index>(kSequences, 1), kDropoutWidth, 1);
  const Tensor y = attention(context, x).rows.value;
  Index dropped = 0;
  constexpr Index kDepth = kDropoutWidth / kHeads;
  for (Index head = 0; head < kSequences * kHeads; ++head) {
    const float* from = x.rows.value.data + head * kDepth;
    const float* to = y.data + head * kDepth;
    const bool gone = to[0] == 0.0f;
    dropped += gone ? 1 : 0;
    for (Index d = 0; d < kDepth; ++d) {
      EXPECT_NEAR(to[d], gone ? 0.0f : from[d] / (1.0f - kRate), 1e-5f);
    }
  }
  // Of 6000, with a standard deviation of 34.
  EXPECT_NEAR(static_cast<double>(dropped), kRate * kSequences * kHeads, 5.0 * 34.0);
}

// What a layer of these options makes of one batch.
template <typename Layer, typename Options>
std::vector<float> rows(const Options& options, Mode mode, std::uint64_t step = 0) {
  Parameters parameters(7);
  const Layer layer(parameters, options);
  Context context;
  context.begin(mode, nullptr, {5, step});
  const Tensor y =
      layer(context, random_sequences(context, {4, 1, 6}, kDropoutWidth, 1)).rows.value;
  return {y.data, y.data + y.count()};
}

TEST(AttentionDropout, IsAnotherOneAtEveryStep) {
  const auto attention = [](std::uint64_t step) {
    return rows<nn::MultiHeadAttention>(options_with(kRate), Mode::kTrain, step);
  };
  EXPECT_EQ(attention(0), attention(0));
  EXPECT_NE(attention(0), attention(1));
}

TEST(AttentionDropout, IsForTrainingOnly) {
  const auto attention = [](Mode mode, float dropout) {
    return rows<nn::MultiHeadAttention>(options_with(dropout), mode);
  };
  EXPECT_EQ(attention(Mode::kEvaluate, kRate), attention(Mode::kEvaluate, 0.0f));
  EXPECT_EQ(attention(Mode::kTrain, 0.0f), attention(Mode::kEvaluate, 0.0f));
  EXPECT_NE(attention(Mode::kTrain, kRate), attention(Mode::kTrain, 0.0f));
}

// Whatever attention is a part of passes its rate on.
TEST(AttentionDropout, ReachesTheAttentionOfAnEncoder) {
  const auto encoder = [](Mode mode, float dropout) {
    nn::EncoderOptions options;
    options.attention = options_with(dropout);
    options.feed_forward.hidden = 20;
    return rows<nn::Encoder>(options, mode);
  };
  EXPECT_EQ(encoder(Mode::kEvaluate, kRate), encoder(Mode::kEvaluate, 0.0f));
  EXPECT_EQ(encoder(Mode::kTrain, 0.0f), encoder(Mode::kEvaluate, 0.0f));
  EXPECT_NE(encoder(Mode::kTrain, kRate), encoder(Mode::kTrain, 0.0f));
}

}  // namespace
}  // namespace heed::test
