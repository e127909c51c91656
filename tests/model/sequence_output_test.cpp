#include "heed/model/output/sequence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/file.h"
#include "heed/grad/attention.h"
#include "heed/model/folder.h"
#include "heed/model/input/text.h"
#include "heed/model/predictor.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

Dataset pairs() {
  Dataset data;
  for (const char* text : {"abc", "cab", "bca cb", "a", "ccc b", "aab"}) {
    std::string reversed(text);
    std::reverse(reversed.begin(), reversed.end());
    data.records.push_back(make_record(Text{text}, Sequence{reversed}));
  }
  return data;
}

// A model of characters with random weights, large enough that its answers differ.
Config config(bool copies = false) {
  Config result;
  result.output = Choice<Output>("sequence");
  apply_preset("tiny", result);
  result.width = 32;
  TextOptions& text = result.input.as<TextInput>()->options();
  text.tokenizer.kind = TokenizerOptions::Kind::kCharacter;
  text.deviation = 1.0f;
  SequenceOptions& output = result.output.as<SequenceOutput>()->options();
  output.tokenizer.kind = TokenizerOptions::Kind::kCharacter;
  output.smoothing = 0.0f;
  output.search.longest = 12;
  text.targets = output.shared = output.copy = copies;
  const Dataset data = pairs();
  result.input->fit(data);
  result.output->fit(data, false);
  result.output->share(result.input->shared_tokenizer());
  result.output->learn(data);
  return result;
}

std::vector<Record> sources(const Dataset& data) {
  std::vector<Record> records;
  for (const Record& record : data.records) records.push_back(make_record(record.content));
  return records;
}

// −Σ log p of a target and its end, all of it read at once.
double pair_loss(const Model& model, const Content& source, const std::string& target) {
  Batch batch;
  model.prepare(make_record(source, Sequence{target}), batch);
  batch.whole_weight = 1.0;
  Context context;
  context.begin(Mode::kEvaluate);
  return static_cast<double>(model.loss(context, batch).value.data[0]);
}

// The score of what was found step by step is the loss of all of it.
void expect_scores_of_the_whole(const Model& model) {
  const Dataset data = pairs();
  const Predictor predictor(model, 2);
  const std::vector<Prediction> found = predictor(sources(data), 4);
  const Output& output = *model.config().output;
  const double penalty = static_cast<double>(
      model.config().output.as<SequenceOutput>()->options().search.length_penalty);
  int ended = 0;
  for (std::size_t s = 0; s < found.size(); ++s) {
    ASSERT_EQ(found[s].written.size(), 4u);
    for (const Written& written : found[s].written) {
      if (std::ssize(written.tokens) >= 12) continue;  // without an end
      const Answer answer = output.answer(data[static_cast<Index>(s)], {{}, {written}});
      const double tokens = static_cast<double>(written.tokens.size()) + 1.0;
      EXPECT_NEAR(
          -pair_loss(model, data[static_cast<Index>(s)].content, std::get<Sequence>(answer).text) /
              std::pow(tokens, penalty),
          static_cast<double>(written.score), 1e-4);
      ++ended;
    }
  }
  EXPECT_GE(ended, 6);
}

TEST(SequenceOutput, StepsWithACacheGiveTheProbabilityOfTheWholeReadAtOnce) {
  expect_scores_of_the_whole(Model(config()));
}

// Hypotheses change places, and each keeps its own source.
TEST(SequenceOutput, StepsThatCopyGiveTheProbabilityOfTheWholeReadAtOnce) {
  expect_scores_of_the_whole(Model(config(true)));
}

TEST(SequenceOutput, ABatchIsItsTextsOneByOne) {
  const Model model(config(true));
  const Dataset data = pairs();
  const Predictor predictor(model, 1);
  const std::vector<Record> records = sources(data);
  const std::vector<Prediction> together = predictor(records, 3);
  for (std::size_t s = 0; s < records.size(); ++s) {
    const Prediction alone = predictor(records[s], 3);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(alone.written[i].tokens, together[s].written[i].tokens) << s << ", " << i;
    }
  }
}

TEST(SequenceOutput, WhatIsKeptOfWeightsThatStayChangesNoText) {
  const Model model(config());
  const Predictor fresh(model, 1), keeping(model, 1, Predictor::Weights::kStay);
  for (int turn = 0; turn < 2; ++turn) {  // the second one finds what the first one kept
    for (const Record& record : sources(pairs())) {
      const Prediction expected = fresh(record, 3), got = keeping(record, 3);
      ASSERT_EQ(got.written.size(), expected.written.size());
      for (std::size_t i = 0; i < got.written.size(); ++i) {
        EXPECT_EQ(got.written[i].tokens, expected.written[i].tokens);
        EXPECT_NEAR(got.written[i].score, expected.written[i].score, 1e-4);
      }
    }
  }
}

TEST(SequenceOutput, QuickIsABeamOfOne) {
  Config greedy = config();
  greedy.output.as<SequenceOutput>()->options().search.beam = 1;
  const Model model(greedy), other(config());
  const std::vector<Record> records = sources(pairs());
  const Predictor one(model, 1), quick(other, 1);
  const std::vector<Prediction> expected = one(records, 1), got = quick(records, kQuickly);
  for (std::size_t s = 0; s < records.size(); ++s) {
    EXPECT_EQ(got[s].written.front().tokens, expected[s].written.front().tokens);
  }
}

TEST(SequenceOutput, PiecesOfTextComeAsTheyAreWritten) {
  for (const Index beam : {1, 5}) {
    Config asked = config();
    asked.output.as<SequenceOutput>()->options().search.beam = beam;
    const Model model(asked);
    const Predictor predictor(model, 1);
    for (const Record& record : sources(pairs())) {
      std::string joined;
      Index pieces = 0;
      const Prediction found = predictor.write(record, [&](std::string_view piece) {
        joined += piece;
        ++pieces;
      });
      const std::vector<std::int32_t>& tokens = found.written.front().tokens;
      EXPECT_EQ(tokens, predictor(record).written.front().tokens);
      EXPECT_EQ(joined, std::get<Sequence>(model.config().output->answer(record, found)).text);
      EXPECT_EQ(pieces, std::ssize(tokens)) << "beam " << beam;
    }
  }
}

TEST(SequenceOutput, TheTraceEndsWithTheAlignment) {
  Config settings = config();
  const Model model(settings);
  const Index layers = settings.output.as<SequenceOutput>()->options().decoder.layers;
  Batch batch;
  model.prepare(make_record(Text{"abca"}), batch);
  Context context;
  AttentionTrace trace;
  context.begin(Mode::kEvaluate);
  context.trace = &trace;
  const std::vector<Prediction> found = model.predict(context, batch);
  const Index queries = std::ssize(found[0].written.front().tokens) + 1;
  ASSERT_GE(trace.calls(), 2 * layers);
  for (Index layer = 0; layer < layers; ++layer) {
    const Index cross = trace.calls() - 2 * (layers - layer) + 1;
    EXPECT_EQ(trace.queries(cross, 0), queries);
    EXPECT_EQ(trace.keys(cross, 0), 4);
    const std::vector<float> weights = trace.weights(cross, 0, 0);
    for (Index row = 0; row < queries; ++row) {
      float sum = 0.0f;
      for (Index key = 0; key < 4; ++key) sum += weights[static_cast<std::size_t>(4 * row + key)];
      EXPECT_NEAR(sum, 1.0f, 1e-5f);
    }
  }
}

TEST(SequenceOutput, DrawnTextsDependOnTheSeed) {
  const auto texts = [](std::uint64_t seed) {
    Config drawing = config();
    drawing.output.as<SequenceOutput>()->options().search.temperature = 3.0f;
    drawing.output.as<SequenceOutput>()->options().search.seed = seed;
    const Model model(drawing);
    const Predictor predictor(model, 1);
    std::vector<std::vector<std::int32_t>> result;
    for (const Prediction& one : predictor(sources(pairs()))) {
      result.push_back(one.written.front().tokens);
    }
    return result;
  };
  EXPECT_EQ(texts(1), texts(1));
  EXPECT_NE(texts(1), texts(2));
}

TEST(SequenceOutput, IsSavedWithBothTokenizers) {
  const test::TemporaryFolder folder;
  const Model model(config());
  save_model(folder.path(), model);
  const Model loaded = load_model(folder.path());
  const Predictor one(model, 1), two(loaded, 1);
  for (const Record& record : sources(pairs())) {
    const Prediction first = one(record), second = two(record);
    EXPECT_EQ(model.config().output->answer_text(record, first),
              loaded.config().output->answer_text(record, second));
  }
  // Options of the search may change, the weights stay.
  const Model changed = load_model(folder.path(), [](Config& settings) {
    settings.output.as<SequenceOutput>()->options().search.longest = 2;
  });
  const Predictor three(changed, 1);
  for (const Record& record : sources(pairs())) {
    EXPECT_LE(three(record).written.front().tokens.size(), 2u);
  }
}

TEST(SequenceOutput, ATargetThatIsCutHasNoEnd) {
  Config settings = config();
  settings.output.as<SequenceOutput>()->options().truncation = 2;
  Batch batch;
  batch.lengths.push_back(1);
  settings.output->prepare(Sequence{"abc"}, batch);
  EXPECT_EQ(settings.output->answer_rows(batch), 2);
  batch.lengths.push_back(1);
  settings.output->prepare(Sequence{"ab"}, batch);
  EXPECT_EQ(settings.output->answer_rows(batch), 3);
  EXPECT_EQ(settings.output->weight(batch), 5.0);
}

// A model with so much CTC, and the weights of another as far as it has them.
Model with_ctc(float part, const Model* like = nullptr) {
  Config result = config();
  result.output.as<SequenceOutput>()->options().ctc = part;
  Model model(result);
  if (like == nullptr) return model;
  for (const Parameter& parameter : like->parameters()) {
    const Parameter* own = model.parameters().find(parameter.name);
    if (own == nullptr) continue;
    std::copy_n(parameter.value.data, parameter.value.count(), own->value.data);
  }
  return model;
}

TEST(SequenceOutput, WithCtcTheLossIsAPartOfBoth) {
  const Model both = with_ctc(0.25f);
  const Model decoder = with_ctc(0.0f, &both), ctc = with_ctc(1.0f, &both);
  EXPECT_EQ(decoder.parameters().find("output.ctc.weight"), nullptr);
  EXPECT_EQ(ctc.parameters().find("output.words.weight"), nullptr);
  const auto loss = [](const Model& model) { return pair_loss(model, Text{"bca cb"}, "abc"); };
  EXPECT_GT(loss(ctc), 0.0);
  EXPECT_NEAR(loss(both), 0.75 * loss(decoder) + 0.25 * loss(ctc), 1e-4);
  // More tokens than rows: what cannot be aligned teaches nothing.
  EXPECT_EQ(pair_loss(ctc, Text{"a"}, "abc"), 0.0);
}

TEST(SequenceOutput, WhereCtcHearsNothingNothingIsWritten) {
  for (const float part : {0.5f, 1.0f}) {
    const Model model = with_ctc(part);
    const Predictor predictor(model, 1);
    const std::vector<Record> records = sources(pairs());
    const auto written = [&](Index top) {
      Index tokens = 0;
      for (const Prediction& one : predictor(records, top)) {
        for (const Written& text : one.written) tokens += std::ssize(text.tokens);
      }
      return tokens;
    };
    const Parameter* bias = model.parameters().find("output.ctc.bias");
    float& blank = bias->value.data[bias->value.count() - 1];
    blank = -100.0f;
    EXPECT_GT(written(3), 0);
    blank = 100.0f;
    EXPECT_EQ(written(1), 0);
    predictor.write(records[0], [](std::string_view piece) { EXPECT_EQ(piece, ""); });
    EXPECT_EQ(model.config().output->answer_text(records[0], predictor(records[0])), "\n");
  }
}

TEST(SequenceOutput, TargetsMayShareTheTokenizerOfTheInput) {
  Config result = config();
  result.input.as<TextInput>()->options().targets = true;
  result.output.as<SequenceOutput>()->options().shared = true;
  Dataset data;
  data.records.push_back(make_record(Text{"ab"}, Sequence{"xyz"}));
  result.input->fit(data);
  result.output->share(result.input->shared_tokenizer());
  result.output->learn(data);
  EXPECT_EQ(result.input->shared_tokenizer()->size(), 6);  // with the unknown one
  const Model model(result);
  const test::TemporaryFolder folder;
  save_model(folder.path() + "/m", model);
  EXPECT_FALSE(file_exists(folder.path() + "/m/target.tokenizer.txt"));
  const Model loaded = load_model(folder.path() + "/m");
  EXPECT_EQ(pair_loss(loaded, Text{"ab"}, "xyz"), pair_loss(model, Text{"ab"}, "xyz"));
}

TEST(SequenceOutput, OnlyTokensOfASharedTokenizerCanBeCopied) {
  SequenceOptions options;
  test::expect_in("copy: expected false without shared", test::message_of<FormatError>([&] {
                    from_json(R"({"copy": true})", "config.json", options);
                  }));
  from_json(R"({"copy": true, "shared": true})", "config.json", options);
  EXPECT_TRUE(options.copy);
}

}  // namespace
}  // namespace heed
