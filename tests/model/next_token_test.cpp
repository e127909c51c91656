#include "heed/model/output/next_token.h"

#include <gtest/gtest.h>

#include "heed/model/body/attention.h"
#include "heed/model/body/recurrent.h"
#include "heed/model/folder.h"
#include "heed/model/input/text.h"
#include "heed/model/predictor.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

Dataset texts() {
  Dataset data;
  for (const char* text : {"abc", "cab abc", "bca cb", "a", "ccc b", "aab"}) {
    data.records.push_back(make_record(Text{text}, Sequence{text}));
  }
  return data;
}

// A language model of characters with random weights.
Config language_config(const std::string& body, nn::Position position = nn::Position::kRotary) {
  Config result;
  result.body = Choice<Body>(body);
  result.output = Choice<Output>("next_token");
  apply_preset("tiny", result);
  result.width = 32;
  TextOptions& text = result.input.as<TextInput>()->options();
  text.tokenizer.kind = TokenizerOptions::Kind::kCharacter;
  text.tied = true;
  if (auto* attention = result.body.as<AttentionBody>()) {
    attention->options().encoder.attention.mask.causal = true;
    attention->options().position.kind = position;
    attention->options().encoder.layers = 2;
  }
  if (auto* recurrent = result.body.as<RecurrentBody>()) {
    recurrent->options().bidirectional = false;
    recurrent->options().layers = 2;
  }
  NextTokenOptions& output = result.output.as<NextTokenOutput>()->options();
  output.search.longest = 12;
  output.search.temperature = 0.0f;
  const Dataset data = texts();
  result.input->fit(data);
  result.output->fit(data, false);
  result.output->share(result.input->shared_tokenizer());
  result.output->learn(data);
  return result;
}

// log p of a text and its end, all of it read at once.
Prediction likelihood(const Model& model, const std::string& text) {
  return Predictor(model, 1)(make_record(Text{text}, Sequence{text}));
}

class LanguageModel : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Bodies, LanguageModel, testing::Values("attention", "lstm", "gru", "rnn"));

TEST_P(LanguageModel, WhatIsReadStepByStepIsAsLikelyAsTheWholeReadAtOnce) {
  Config config = language_config(GetParam());
  config.output.as<NextTokenOutput>()->options().search.beam = 3;
  const Model model(config);
  const Predictor predictor(model, 2);
  const NextTokenOutput& output = *model.config().output.as<NextTokenOutput>();
  std::vector<Record> prompts;
  for (const char* prompt : {"ab", "", "c ba", "a"}) prompts.push_back(make_record(Text{prompt}));
  const std::vector<Prediction> found = predictor(prompts, 3);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const std::string& prompt = std::get<Text>(prompts[i].content).text;
    ASSERT_EQ(found[i].written.size(), 3u);
    for (const Written& written : found[i].written) {
      const bool ended = std::ssize(written.tokens) < 12;
      const std::string whole = prompt + output.written_text(prompts[i], written.tokens);
      ASSERT_EQ(std::ssize(whole), std::ssize(prompt) + std::ssize(written.tokens));
      Batch batch;
      model.prepare(make_record(Text{whole}, Sequence{whole}), batch);
      Context context;
      context.begin(Mode::kEvaluate);
      const Tensor logits = model.scores(context, batch).network.value;
      double sum = 0.0;  // log p of what was written, and of its end where it has one
      for (std::size_t row = prompt.size(); row < whole.size() + ended; ++row) {
        const float* scores = logits.row(static_cast<Index>(row));
        double all = 0.0;
        for (Index c = 0; c < logits.columns(); ++c) all += std::exp(double{scores[c]});
        sum += double{scores[batch.answer.integers(0).part(0)[row]]} - std::log(all);
      }
      EXPECT_NEAR(sum / static_cast<double>(written.tokens.size() + ended),
                  static_cast<double>(written.score), 1e-4)
          << whole;
    }
  }
}

TEST_P(LanguageModel, ABatchOfPromptsIsContinuedAsEachAlone) {
  Config config = language_config(GetParam());
  config.output.as<NextTokenOutput>()->options().search.temperature = 1.0f;
  const Model model(config);
  const Predictor predictor(model, 2);
  std::vector<Record> prompts;
  for (const char* prompt : {"ab", "", "c ba abc", "a", "ab"}) {
    prompts.push_back(make_record(Text{prompt}));
  }
  const std::vector<Prediction> together = predictor(prompts);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    EXPECT_EQ(predictor(prompts[i]).written.front().tokens, together[i].written.front().tokens);
  }
  EXPECT_EQ(together[0].written.front().tokens, together[4].written.front().tokens);
  // Several that are drawn are different ones.
  const Prediction several = predictor(prompts[0], 5);
  ASSERT_EQ(several.written.size(), 5u);
  EXPECT_EQ(several.written.front().tokens, together[0].written.front().tokens);
  EXPECT_NE(several.written[1].tokens, several.written[0].tokens);
}

TEST(NextToken, PositionsThatAreAddedCountOnThroughWhatIsWritten) {
  Config config = language_config("attention", nn::Position::kSinusoidal);
  const Model model(config);
  const Record prompt = make_record(Text{"ab"});
  const Prediction greedy = Predictor(model, 1)(prompt);
  // Reading what was written as a prompt goes on in the same way.
  const NextTokenOutput& output = *model.config().output.as<NextTokenOutput>();
  std::vector<std::int32_t> first = greedy.written.front().tokens;
  ASSERT_GE(first.size(), 4u);
  first.resize(2);
  const std::string longer = "ab" + output.written_text(prompt, first);
  const Prediction rest = Predictor(model, 1)(make_record(Text{longer}));
  EXPECT_TRUE(std::equal(greedy.written.front().tokens.begin() + 2,
                         greedy.written.front().tokens.end(), rest.written.front().tokens.begin()));
}

TEST(NextToken, PiecesOfTextComeAsTheyAreWritten) {
  const Model model(language_config("attention"));
  const Predictor predictor(model, 1);
  const Record prompt = make_record(Text{"ab"});
  std::string joined;
  int pieces = 0;
  const Prediction found = predictor.write(prompt, [&](std::string_view piece) {
    joined += piece;
    ++pieces;
  });
  const Output& output = *model.config().output;
  EXPECT_EQ(joined, output.written_text(prompt, found.written.front().tokens));
  EXPECT_EQ(pieces, std::ssize(found.written.front().tokens));
  EXPECT_EQ(found.written.front().tokens, predictor(prompt).written.front().tokens);
}

TEST(NextToken, OfALongTextTheBeginningIsLearnedAndOfALongPromptTheEndIsRead) {
  Config config = language_config("attention");
  config.input.as<TextInput>()->options().truncation = 3;
  const Model model(config);
  Batch learned, asked;
  model.prepare(make_record(Text{"abc cba"}, Sequence{"abc cba"}), learned);
  model.prepare(make_record(Text{"abc cba"}), asked);
  EXPECT_EQ(learned.lengths, (std::vector<Index>{4}));  // with the begin
  EXPECT_EQ(learned.answer.integers(0).lengths()[0], 4);
  EXPECT_EQ(asked.lengths, (std::vector<Index>{4}));
  Batch end;
  model.prepare(make_record(Text{"cba"}), end);
  EXPECT_TRUE(std::ranges::equal(asked.input.integers(0).values(), end.input.integers(0).values()));
  // However long: it is continued.
  const Predictor predictor(model, 1);
  EXPECT_EQ(predictor(make_record(Text{std::string(5000, 'a') + "cba"})).written.front().tokens,
            predictor(make_record(Text{"cba"})).written.front().tokens);
}

TEST(NextToken, WhatIsMeasuredOfALongTextIsItsBeginning) {
  Config config = language_config("lstm");
  config.input.as<TextInput>()->options().truncation = 3;
  const Model model(config);
  const std::unique_ptr<Measures> measures = model.config().output->measures();
  const Answer answer = Sequence{"ab ccc"};
  measures->add(answer, Predictor(model, 1)(make_record(Text{"ab ccc"}, answer)));
  EXPECT_NE(measures->report().find("1 texts, 2 words, 4 tokens"), std::string::npos)
      << measures->report();
}

TEST(NextToken, PerplexityIsThatOfTheLikelihood) {
  const Model model(language_config("attention"));
  const std::unique_ptr<Measures> measures = model.config().output->measures();
  double loss = 0.0;
  for (const char* text : {"abc", "cab abc"}) {
    const Prediction one = likelihood(model, text);
    loss -= one.log_probability;
    measures->add(Sequence{text}, one);
  }
  // Three words and two ends.
  EXPECT_NEAR(measures->score(), std::exp(-loss / 5.0), 1e-9);
  EXPECT_NEAR(shown(measures->scores().front()), std::exp(loss / 5.0), 1e-6);
}

TEST(NextToken, PartsThatDoNotFitAreRefusedByName) {
  const auto problem = [](const auto& change) {
    Config config = language_config("attention");
    change(config);
    return test::message_of<FormatError>([&] { parse_config(config_text(config), "c.json"); });
  };
  EXPECT_EQ(problem([](Config& config) {
              config.body.as<AttentionBody>()->options().encoder.attention.mask.causal = false;
            }),
            "c.json: body.attention.mask.causal false: rows attend to those behind them, expected "
            "true");
  EXPECT_EQ(
      problem([](Config& config) { config.body = Choice<Body>("window"); }),
      "c.json: body.kind: its rows know those behind them; expected attention, lstm, gru or rnn");
  EXPECT_EQ(problem([](Config& config) { config.body = Choice<Body>("lstm"); }),
            "c.json: body.bidirectional true: a state comes from the end, expected false");
  EXPECT_EQ(problem([](Config& config) { config.input.as<TextInput>()->options().tied = false; }),
            "c.json: input.tied false: expected true, so that its vectors score the next token");
}

TEST(NextToken, AModelComesBackFromItsFolder) {
  const Model model(language_config("attention"));
  const test::TemporaryFolder folder;
  save_model(folder.path() + "/m", model);
  const Model loaded = load_model(folder.path() + "/m");
  EXPECT_EQ(likelihood(loaded, "abc").log_probability, likelihood(model, "abc").log_probability);
  EXPECT_EQ(Predictor(loaded, 1)(make_record(Text{"ab"})).written.front().tokens,
            Predictor(model, 1)(make_record(Text{"ab"})).written.front().tokens);
}

}  // namespace
}  // namespace heed
