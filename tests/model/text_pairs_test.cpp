#include <gtest/gtest.h>

#include "heed/data/text/vocabulary.h"
#include "heed/model/config.h"
#include "heed/model/input/text.h"
#include "heed/model/model.h"
#include "tests/support/messages.h"

namespace heed {
namespace {

Dataset text_pairs() {
  Dataset data;
  for (const auto& [first, second] :
       {std::pair{"a dog runs", "an animal runs"}, std::pair{"a cat", "a dog sleeps now"}}) {
    data.records.push_back(
        make_record(Text{first, std::string(second)}, Label{data.size() == 0 ? "yes" : "no"}));
  }
  return data;
}

Config pair_config(Index truncation = 0) {
  Config config;
  apply_preset("tiny", config);
  TextOptions& options = config.input.as<TextInput>()->options();
  options.truncation = truncation;
  options.char_ngrams.buckets = 100;
  options.crop = 2;  // not for pairs: a part of one would lose the other text
  const Dataset data = text_pairs();
  config.input->fit(data);
  config.output->fit(data, false);
  return config;
}

TEST(TextPairs, AreOneSequenceWithARowBetween) {
  const Config config = pair_config();
  const auto& input = *config.input.as<TextInput>();
  EXPECT_TRUE(input.options().pairs);
  Batch batch;
  input.prepare(text_pairs()[0].content, batch);
  EXPECT_EQ(batch.lengths, (std::vector<Index>{7}));
  const auto sides = batch.input.integers(TextInput::kSides).values();
  EXPECT_EQ(std::vector<std::int32_t>(sides.begin(), sides.end()),
            (std::vector<std::int32_t>{0, 0, 0, 2, 1, 1, 1}));
  EXPECT_EQ(batch.input.integers(TextInput::kTokens).values()[3], Vocabulary::kUnknown);
  EXPECT_EQ(batch.input.integers(TextInput::kNgramCounts).values().size(), 7u);
  EXPECT_EQ(input.varied_length(7), 7);
}

TEST(TextPairs, TheLongerTextIsCut) {
  const Config config = pair_config(6);
  Batch batch;
  config.input->prepare(Text{"a b", std::string("c d e f g h")}, batch);
  config.input->prepare(Text{"a b c d e f g", std::string("h")}, batch);
  config.input->prepare(Text{"a b c d e f g", std::string("h i j k l")}, batch);
  EXPECT_EQ(batch.lengths, (std::vector<Index>{6, 6, 6}));
  const auto side = [&](Index sequence) {
    const auto part = batch.input.integers(TextInput::kSides).part(sequence);
    return std::vector<std::int32_t>(part.begin(), part.end());
  };
  EXPECT_EQ(side(0), (std::vector<std::int32_t>{0, 0, 2, 1, 1, 1}));
  EXPECT_EQ(side(1), (std::vector<std::int32_t>{0, 0, 0, 0, 2, 1}));
  EXPECT_EQ(side(2), (std::vector<std::int32_t>{0, 0, 0, 2, 1, 1}));
}

TEST(TextPairs, TheOrderOfTheTextsMatters) {
  const Model model(pair_config());
  const auto scores = [&](const char* first, const char* second) {
    Batch batch;
    model.prepare(make_record(Text{first, std::string(second)}), batch);
    Context context;
    context.begin(Mode::kEvaluate);
    const Var all = model.scores(context, batch).network;
    return std::vector<float>(all.value.data, all.value.data + 2);
  };
  EXPECT_NE(scores("a dog", "a cat"), scores("a cat", "a dog"));
}

TEST(TextPairs, SomethingElseIsRefused) {
  const Config config = pair_config();
  Batch batch;
  EXPECT_NE(test::message_of<UsageError>([&] {
              config.input->prepare(Text{"alone"}, batch);
            }).find("expected a pair of texts"),
            std::string::npos);
  Config other;
  Dataset data = text_pairs();
  std::get<Text>(data.records[0].content).second.reset();
  EXPECT_THROW(other.input->fit(data), FormatError);
}

}  // namespace
}  // namespace heed
