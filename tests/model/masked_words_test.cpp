#include <gtest/gtest.h>

#include "heed/model/model.h"
#include "tests/support/made_examples.h"

namespace heed::test {
namespace {

Config masked_config(const MaskedWordOptions& options) {
  Config config = made_config("tags");
  text_of(config).char_ngrams.buckets = 20;
  text_of(config).char_cnn.filters = 8;
  text_of(config).masked_words = options;
  return config;
}

// One text of three words, its second masked.
Batch masked_batch(const Config& config, std::int32_t token, std::int32_t character) {
  using Ids = std::vector<std::int32_t>;
  Batch batch;
  batch.lengths = {3};
  batch.input.integers(TextInput::kTokens).add(Ids{4, token, 6});
  batch.input.integers(TextInput::kNgramCounts).add(Ids{1, 1, 0});
  batch.input.integers(TextInput::kNgrams).add(Ids{7, character % 20});
  batch.input.integers(TextInput::kCharacterCounts).add(Ids{1, 1, 1});
  batch.input.integers(TextInput::kCharacterIds).add(Ids{'a', character, 'c'});
  batch.input.integers(TextInput::kMasked)
      .add(Ids{TextInput::kNotMasked, token, TextInput::kNotMasked});
  batch.answer.integers(0).add(Ids{0, 1, 2});
  return whole(std::move(batch), config);
}

double masked_loss(const MaskedWordOptions& options, std::int32_t token) {
  const Config config = masked_config(options);
  const Model model(config);
  Context context;
  context.begin(Mode::kEvaluate);
  return static_cast<double>(model.loss(context, masked_batch(config, token, 'b')).value[0]);
}

TEST(MaskedWords, TheNetworkDoesNotSeeThem) {
  const Config config = masked_config({.share = 0.2f});
  const Model model(config);
  Context context, other;
  context.begin(Mode::kEvaluate);
  other.begin(Mode::kEvaluate);
  const Var a = model.scores(context, masked_batch(config, 5, 'b')).network;
  const Var b = model.scores(other, masked_batch(config, 9, 'x')).network;
  ASSERT_EQ(a.value.count(), 9);
  for (Index i = 0; i < a.value.count(); ++i) EXPECT_EQ(a.value[i], b.value[i]);
}

TEST(MaskedWords, PredictingThemIsAddedToTheLoss) {
  const auto loss = [](float weight, std::int32_t token) {
    return masked_loss({.share = 0.2f, .weight = weight, .words = 8}, token);
  };
  const double without = loss(0.0f, 5), once = loss(1.0f, 5), twice = loss(2.0f, 5);
  EXPECT_GT(once, without + 0.1) << "one of three rows among eight words: about log(8) / 3";
  EXPECT_NEAR(twice - without, 2.0 * (once - without), 1e-5);
  for (const std::int32_t token : {0, 8, 29}) {  // unknown, and too rare
    EXPECT_EQ(loss(1.0f, token), without) << token;
  }
}

TEST(MaskedWords, AShareOfTheWordsIsDrawnEachTimeThatATextIsLearned) {
  TextInput input;
  Dataset train;
  train.records.push_back(make_record(Sentence{{"the", "cat", "sees", "the", "dog"}}));
  input.fit(train);
  input.options().masked_words.share = 0.3f;
  int masked = 0;
  for (std::uint64_t key = 0; key < 400; ++key) {
    Batch batch;
    input.prepare(train[0].content, batch);
    EXPECT_EQ(batch.input.integers(TextInput::kMasked).count(), 0) << "answers see all words";
    Random random(key);
    input.vary(batch, random);
    const auto tokens = batch.input.integers(TextInput::kTokens).values();
    const auto column = batch.input.integers(TextInput::kMasked).values();
    ASSERT_EQ(column.size(), tokens.size());
    for (std::size_t row = 0; row < tokens.size(); ++row) {
      if (column[row] == TextInput::kNotMasked) continue;
      EXPECT_EQ(column[row], tokens[row]);
      ++masked;
    }
  }
  EXPECT_NEAR(masked, 600, 5 * 20.5) << "of 2,000, five standard deviations";
}

}  // namespace
}  // namespace heed::test
