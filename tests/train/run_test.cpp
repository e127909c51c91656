#include "heed/train/run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/file.h"
#include "heed/model/predictor.h"
#include "heed/train/defaults.h"
#include "tests/support/made_examples.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training.h"

namespace heed {
namespace {

using test::kNever;
using test::message_of;
using test::TemporaryFolder;
using test::weights_of;

// Reviews that a few words decide.
Dataset reviews(Index count) {
  Dataset data;
  for (Index i = 0; i < count; ++i) {
    const bool good = i % 2 == 0;
    Record record =
        make_record(Text{fmt::format("the {} number {} was {}", i % 3 == 0 ? "film" : "book", i % 7,
                                     good ? "wonderful" : "dreadful")},
                    Label{good ? "good" : "bad"});
    record.place.line = i + 1;
    data.records.push_back(std::move(record));
  }
  return data;
}

std::string csv_of(const Dataset& data) {
  std::string lines = "text,label\n";
  for (const Record& record : data.records) {
    lines += std::get<Text>(record.content).text + "," + std::get<Label>(record.answer).name + "\n";
  }
  return lines;
}

RunOptions small_options() {
  RunOptions options;
  options.config = default_config("label");
  options.config.width = 16;
  options.training.epochs = 6;
  options.training.rate = 0.01f;
  options.training.batch_rows = 100;
  options.training.workers = 2;
  return options;
}

TEST(Run, RecordsInMemoryAndAFileOfThemGiveTheSameModel) {
  const TemporaryFolder folder;
  RunOptions options = small_options();
  const std::unique_ptr<Model> model = train_records(reviews(80), {}, options, {}, kNever);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(evaluate(*model, reviews(40), 2)->score(), 1.0);
  options.train = {folder.write("reviews.csv", csv_of(reviews(80)))};
  EXPECT_EQ(train_run(folder.path("M"), options, {}, kNever).score.value, 1.0);
  EXPECT_EQ(weights_of(load_model(folder.path("M"))), weights_of(*model));
}

TEST(Run, DevRecordsChooseTheBestWeightsAndNothingIsHeldOut) {
  std::vector<std::string> notes;
  RunEvents events;
  events.note = [&](const std::string& note) { notes.push_back(note); };
  ASSERT_NE(train_records(reviews(40), reviews(12), small_options(), events, kNever), nullptr);
  EXPECT_EQ(std::count(notes.begin(), notes.end(), "40 examples to learn from, 12 for dev"), 1);
}

// Answers that mean nothing can only be overfitted, so the loss on others grows.
TEST(Run, TheLastWeightsAreKeptWhereTooFewAreHeldOutToChooseBy) {
  const auto keeps_last = [](Index count, const std::string& select) {
    const TemporaryFolder folder;
    RunOptions options = small_options();
    options.training.epochs = 12;
    options.training.average = 0.0f;
    options.training.select = select;
    Dataset data = reviews(count);
    Random random(1);
    for (Record& record : data.records) {
      record.answer = Label{random.uniform() < 0.5f ? "good" : "bad"};
    }
    options.train = {folder.write("reviews.csv", csv_of(data))};
    double least = 1e9, last = 0.0;
    RunEvents events;
    events.evaluated = [&](const Evaluation& evaluation) {
      last = evaluation.dev_loss;
      least = std::min(least, last);
    };
    const RunResult result = train_run(folder.path("M"), options, events, kNever);
    EXPECT_GT(last, least);
    return result.kept.epoch == options.training.epochs;
  };
  EXPECT_TRUE(keeps_last(80, ""));
  EXPECT_FALSE(keeps_last(80, "loss"));
  EXPECT_FALSE(keeps_last(300, ""));
}

// All texts are different, so each that it learned from shows in the frequencies of words.
TEST(Run, TheWidePartLearnsFromWhatWasHeldOutButNotFromDev) {
  const auto idf_of = [](const Model& model) {
    const Tensor& idf = model.parameters().find("wide.idf")->value;
    std::vector<float> values(idf.data, idf.data + idf.count());
    std::sort(values.begin(), values.end());
    return values;
  };
  const Dataset all = reviews(42);
  RunOptions options = small_options();
  // The features, which are those of the other texts, are so the same with what is held out.
  TfidfOptions& tfidf = options.config.wide.as<TfidfWide>()->options();
  tfidf.min_count = 2;
  tfidf.char_ngrams.most = 0;
  const auto model = train_records(all, {}, options, {}, kNever);
  const auto with_dev = train_records(all, reviews(30), options, {}, kNever);
  EXPECT_EQ(idf_of(*model), idf_of(*with_dev));
  Dataset fewer = all;
  fewer.records.resize(38);
  const auto smaller = train_records(fewer, reviews(30), options, {}, kNever);
  EXPECT_NE(idf_of(*model), idf_of(*smaller));
}

// Which of two words comes first, with others between them: pairs of neighbours do not show it.
TEST(Run, AWidePartThatKnowsLittleCountsForLittle) {
  const auto texts = [](Index first, Index count) {
    Dataset data;
    for (Index i = first; i < first + count; ++i) {
      const bool good = i % 2 == 0;
      data.records.push_back(make_record(
          Text{fmt::format("{} {} {} {}", good ? "x" : "y", i % 11, i % 13, good ? "y" : "x")},
          Label{good ? "good" : "bad"}));
    }
    return data;
  };
  RunOptions options = small_options();
  options.config.wide.as<TfidfWide>()->options().pairs = 0;
  options.training.epochs = 20;
  const auto weight_of = [](const Model& model) {
    return model.config().wide.as<TfidfWide>()->options().weight;
  };
  const auto model = train_records(texts(0, 400), texts(400, 200), options, {}, kNever);
  EXPECT_EQ(evaluate(*model, texts(600, 100), 2)->score(), 1.0);
  EXPECT_LT(weight_of(*model), 0.5f);  // it would be 1 if it were not weighed
  options.config.ensemble.size = 2;
  const auto two = train_records(texts(0, 400), texts(400, 200), options, {}, kNever);
  EXPECT_LT(weight_of(*two), 0.7f);
}

TEST(Run, AnswersThatTrainingHasNotSeenAreToldAndCountAsWrong) {
  Dataset dev = reviews(4);
  dev.records[2].answer = Label{"odd"};
  std::vector<std::string> notes;
  RunEvents events;
  events.note = [&](const std::string& note) { notes.push_back(note); };
  const std::unique_ptr<Model> model =
      train_records(reviews(40), dev, small_options(), events, kNever);
  EXPECT_EQ(std::count(notes.begin(), notes.end(),
                       "record 3: \"odd\" is in the dev data, but never in the training data; "
                       "answers like this: 1, counted as wrong"),
            1);
  EXPECT_LE(evaluate(*model, dev, 1)->score(), 0.75);
}

TEST(Run, StoppedInMemoryItGivesNoModel) {
  std::atomic<bool> stop = false;
  RunEvents events;
  events.step = [&](const TrainingState&, const StepResult&, float, const Evaluation*) {
    stop = true;
  };
  EXPECT_EQ(train_records(reviews(40), {}, small_options(), events, stop), nullptr);
}

TEST(Run, DataFromWhichNothingCanBeLearnedIsRefused) {
  const auto refusal = [](Dataset data) {
    return message_of<FormatError>(
        [&] { train_records(std::move(data), {}, small_options(), {}, kNever); });
  };
  EXPECT_EQ(refusal({}), "there are no examples to learn from");
  Dataset alike = reviews(10);
  for (Record& record : alike.records) record.answer = Label{"good"};
  EXPECT_EQ(refusal(alike),
            "record 1: all examples have the class \"good\"; there must be at least two");
}

// What is published has no more than what answers need.
TEST(Run, ThePublishedModelIsTheSmallestThatAnswersTheSame) {
  const TemporaryFolder folder;
  RunOptions options = small_options();
  options.train = {folder.write("reviews.csv", csv_of(reviews(80)))};
  train_run(folder.path("M"), options, {}, kNever);
  const Model model = load_model(folder.path("M"));
  EXPECT_EQ(model.config().wide.kind(), "tfidf");
  EXPECT_EQ(model.parameters().find("wide.counts"), nullptr);
  EXPECT_NE(model.parameters().find("wide.weight"), nullptr);
  EXPECT_FALSE(file_exists(folder.path("M/checkpoint")));
}

TEST(Run, ALongTextThatTheBodyCannotReadIsToldBeforeTraining) {
  RunOptions options = small_options();
  test::text_of(options.config).truncation = 0;
  test::attention_of(options.config).position = {.kind = nn::Position::kSinusoidal, .longest = 64};
  Dataset data = reviews(40);
  for (Record& record : data.records) {
    if (record.place.line != 21) continue;
    for (int i = 0; i < 100; ++i) std::get<Text>(record.content).text += " again";
  }
  EXPECT_EQ(message_of<UsageError>([&] { train_records(data, {}, options, {}, kNever); }),
            "record 21: 106 rows, and the body attention reads at most 64; let the input give "
            "fewer (text: input.truncation), or the body read in segments (attention: "
            "body.segment)");
  // Tables that are computed grow with what the input gives at most.
  test::text_of(options.config).truncation = 80;
  EXPECT_NE(train_records(data, {}, options, {}, kNever), nullptr);
  test::text_of(options.config).truncation = 0;
  test::attention_of(options.config).segment = 16;
  EXPECT_NE(train_records(data, {}, options, {}, kNever), nullptr);
}

}  // namespace
}  // namespace heed
