#include "heed/model/predictor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "heed/base/error.h"
#include "heed/model/body/attention.h"
#include "heed/model/input/text.h"
#include "tests/support/made_examples.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::made_config;

const std::vector<std::string> kWords = {"the", "old", "cat", "sees", "a", "house", "dog", "day"};

// Texts of one to thirty words, and sentences of as many.
std::vector<Record> made_records(Index count, const std::string& output) {
  Random random(7);
  std::vector<Record> records;
  for (Index i = 0; i < count; ++i) {
    std::vector<std::string> words;
    for (std::uint32_t left = 1 + random.below(30); left > 0; --left) {
      words.push_back(kWords[random.below(static_cast<std::uint32_t>(kWords.size()))]);
    }
    std::string text;
    for (const std::string& word : words) text += word + " ";
    records.push_back(output == "label" ? make_record(Text{text}) : make_record(Sentence{words}));
  }
  return records;
}

Model model_of_words(const std::string& output, bool wide = false) {
  Config config = made_config(output);
  config.input.as<TextInput>()->options().char_ngrams.buckets = 50;
  nn::EncoderOptions& encoder = config.body.as<AttentionBody>()->options().encoder;
  encoder.convolution = {.taps = 3, .recurrent = output == "tags"};
  encoder.order = nn::NormOrder::kPre;
  if (wide) test::add_tfidf(config, 0);
  Dataset train;
  for (Record& record : made_records(20, output)) train.records.push_back(std::move(record));
  config.input->fit(train);
  config.wide->fit(train, config.output->classes());
  return Model(config);
}

// Two ways to the same answer differ by a few rounding errors.
void expect_same(const Prediction& one, const Prediction& other) {
  ASSERT_EQ(one.rows.size(), other.rows.size());
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    ASSERT_EQ(one.rows[row].size(), other.rows[row].size());
    for (std::size_t k = 0; k < one.rows[row].size(); ++k) {
      EXPECT_EQ(one.rows[row][k].index, other.rows[row][k].index);
      EXPECT_NEAR(one.rows[row][k].probability, other.rows[row][k].probability, 1e-5);
    }
  }
}

void expect_equal(const Prediction& one, const Prediction& other) {
  expect_same(one, other);
  for (std::size_t row = 0; row < one.rows.size(); ++row) {
    EXPECT_EQ(one.rows[row][0].probability, other.rows[row][0].probability);
  }
}

TEST(Predictor, OneAnswerIsTheAnswerInABatchHoweverManyWork) {
  for (const char* output : {"label", "tags"}) {
    const Model model = model_of_words(output);
    const std::vector<Record> records = made_records(700, output);  // several batches
    const Predictor one(model, 1), three(model, 3);
    const std::vector<Prediction> all = one(records, 2), shared = three(records, 2);
    ASSERT_EQ(all.size(), records.size());
    ASSERT_EQ(shared.size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      expect_same(all[i], one(records[i], 2));
      expect_equal(all[i], shared[i]);
    }
    EXPECT_TRUE(three(std::span<const Record>()).empty());
  }
}

// Words in capitals have the tokens of others and n-grams of their own; some are unknown.
TEST(Predictor, WhatIsKeptOfWeightsThatStayChangesNoAnswer) {
  for (const char* output : {"label", "tags"}) {
    const Model model = model_of_words(output, std::string_view(output) == "label");
    std::vector<Record> records = made_records(300, output);
    for (const char* word : {"The", "THE", "zebra", "Zebra"}) {
      records.push_back(std::string_view(output) == "label"
                            ? make_record(Text{std::string("the cat and ") + word})
                            : make_record(Sentence{{"the", "cat", word}}));
    }
    const Predictor fresh(model, 1), keeping(model, 2, Predictor::Weights::kStay);
    const std::vector<Prediction> expected = fresh(records, 2);
    for (int time = 0; time < 3; ++time) {
      const std::vector<Prediction> found = keeping(records, 2);
      for (std::size_t i = 0; i < records.size(); ++i) expect_same(found[i], expected[i]);
    }
    for (std::size_t i = 290; i < records.size(); ++i) {
      expect_same(keeping(records[i], 2), expected[i]);
    }
  }
}

TEST(Predictor, WeightsThatChangeGiveOtherAnswers) {
  const Model model = model_of_words("label");
  const std::vector<Record> records = made_records(40, "label");
  const Predictor predictor(model, 1);
  const std::vector<Prediction> before = predictor(records, 2);
  for (float& number : model.parameters().find("input.words.weight")->value.span()) number *= -3.0f;
  const std::vector<Prediction> after = predictor(records, 2);
  const Predictor anew(model, 1);
  const std::vector<Prediction> expected = anew(records, 2);
  Index changed = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    expect_same(after[i], expected[i]);
    changed += after[i].rows[0][0].probability != before[i].rows[0][0].probability ? 1 : 0;
  }
  EXPECT_GT(changed, 0);
}

TEST(Predictor, ExamplesInMemoryAndRecordsGetTheSameAnswers) {
  const Model model = model_of_words("label");
  const std::vector<Record> records = made_records(100, "label");
  Batch batch;
  for (const Record& record : records) model.prepare(record, batch);
  const Predictor predictor(model, 2);
  const std::vector<Prediction> expected = predictor(records);
  const std::vector<Prediction> found = predictor(StoredExamples(batch));
  for (std::size_t i = 0; i < records.size(); ++i) expect_same(found[i], expected[i]);
}

TEST(Predictor, AnswersSeveralThreadsAtOnce) {
  const Model model = model_of_words("label");
  const std::vector<Record> records = made_records(60, "label");
  const Predictor predictor(model, 2);
  std::vector<Prediction> alone;
  for (const Record& record : records) alone.push_back(predictor(record, 3));
  const std::vector<Prediction> together = predictor(records, 3);
  std::atomic<int> different = 0;
  const auto differ = [](const Prediction& one, const Prediction& other) {
    return one.rows[0][0].index != other.rows[0][0].index ||
           one.rows[0][0].probability != other.rows[0][0].probability;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (int times = 0; times < 5; ++times) {
        if (t % 2 == 0) {  // one by one
          for (std::size_t i = 0; i < records.size(); ++i) {
            if (differ(predictor(records[i], 3), alone[i])) ++different;
          }
        } else {  // all together
          const std::vector<Prediction> found = predictor(records, 3);
          for (std::size_t i = 0; i < records.size(); ++i) {
            if (differ(found[i], together[i])) ++different;
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

// Where what is wrong with a source is found: when the next record is read, or already when it is
// asked whether there is one.
enum class Bad { kNever, kNext, kReady };

// Records, then perhaps an error; every `wait_every` records it has to wait for the next one.
class MadeSource : public RecordSource {
 public:
  MadeSource(std::vector<Record> records, Bad bad, std::size_t wait_every = 0)
      : records_(std::move(records)), bad_(bad), wait_every_(wait_every) {}

  bool next(Record& record) override {
    if (at_ == records_.size()) {
      if (bad_ != Bad::kNever) throw FormatError("bad record");
      return false;
    }
    record = records_[at_++];
    return true;
  }
  bool ready() override {
    if (bad_ == Bad::kReady && at_ == records_.size()) throw FormatError("bad record");
    return wait_every_ == 0 || at_ % wait_every_ != 0;
  }
  std::size_t place() const { return at_; }

 private:
  std::vector<Record> records_;
  Bad bad_;
  std::size_t wait_every_;
  std::size_t at_ = 0;
};

struct Streamed {
  std::vector<Prediction> predictions{};
  std::vector<std::size_t> flushes{};  // answers before each
  std::string error{};
};

Streamed stream(const Predictor& predictor, MadeSource source) {
  Streamed all;
  try {
    predictor(source, {.top = 2,
                       .answer =
                           [&](const Record&, const Prediction& prediction) {
                             all.predictions.push_back(prediction);
                           },
                       .flush = [&] { all.flushes.push_back(all.predictions.size()); }});
  } catch (const FormatError& error) {
    all.error = error.what();
  }
  return all;
}

TEST(Predictor, AStreamAnswersEverythingBeforeABadRecordAndThenThrows) {
  const Model model = model_of_words("label");
  const Predictor predictor(model, 2);
  for (const Index count : {0, 1, 5, 2047, 2048, 2049, 5000}) {
    const std::vector<Record> records = made_records(count, "label");
    const std::vector<Prediction> expected = predictor(records, 2);
    for (const Bad bad : {Bad::kNever, Bad::kNext, Bad::kReady}) {
      const Streamed found = stream(predictor, MadeSource(records, bad));
      EXPECT_EQ(found.error, bad == Bad::kNever ? "" : "bad record");
      ASSERT_EQ(std::ssize(found.predictions), count);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expect_same(found.predictions[i], expected[i]);
      }
      EXPECT_EQ(found.flushes.empty() ? count : static_cast<Index>(found.flushes.back()), count)
          << "what was answered last is not flushed";
    }
  }
}

TEST(Predictor, AStreamDoesNotWaitForTheNextRecordBeforeItAnswers) {
  const Model model = model_of_words("label");
  const Streamed found =
      stream(Predictor(model, 1), MadeSource(made_records(7, "label"), Bad::kNever, 3));
  ASSERT_EQ(found.predictions.size(), 7u);
  ASSERT_GE(found.flushes.size(), 3u);
  EXPECT_EQ(found.flushes[0], 3u);
  EXPECT_EQ(found.flushes[1], 6u);
  EXPECT_EQ(found.flushes[2], 7u);
}

TEST(Predictor, AStreamReadsWhatFollowsBeforeItWritesAnswers) {
  const Model model = model_of_words("label");
  for (const int workers : {1, 2}) {
    std::size_t read_at_first_answer = 0, answers = 0;
    MadeSource source(made_records(5000, "label"), Bad::kNever);
    const auto answer = [&](const Record&, const Prediction&) {
      if (answers++ == 0) read_at_first_answer = source.place();
    };
    Predictor(model, workers)(source, {.top = 1, .answer = answer, .flush = {}});
    EXPECT_EQ(answers, 5000u);
    EXPECT_GT(read_at_first_answer, 2048u);
  }
}

TEST(Predictor, AnAnswerThatCannotBeWrittenEndsAStreamAtOnce) {
  const Model model = model_of_words("label");
  for (const Index count : {3, 5000}) {
    MadeSource source(made_records(count, "label"), Bad::kNever);
    Index answers = 0;
    const auto answer = [&](const Record&, const Prediction&) {
      if (++answers == 3) throw IoError("disk full");
    };
    EXPECT_THROW(Predictor(model, 2)(source, {.top = 1, .answer = answer, .flush = {}}), IoError);
    EXPECT_EQ(answers, 3);
  }
}

TEST(Predictor, SharesAddUpToTheLogits) {
  for (const bool wide : {false, true}) {
    const Model model = model_of_words("label", wide);
    if (wide) {
      for (float& weight : model.parameters().find("wide.weight")->value.span()) weight *= 1e4f;
    }
    const Predictor predictor(model, 1);
    for (const Record& record : made_records(10, "label")) {
      const Predictor::Shares shares = predictor.shares(record);
      ASSERT_EQ(shares.network.size(), 3u);
      ASSERT_EQ(shares.wide.size(), wide ? 3u : 0u);
      std::vector<double> exponents;
      double sum = 0.0;
      for (std::size_t c = 0; c < 3; ++c) {
        exponents.push_back(std::exp(static_cast<double>(shares.network[c]) +
                                     (wide ? static_cast<double>(shares.wide[c]) : 0.0)));
        sum += exponents.back();
      }
      const Prediction expected = predictor(record, 3);
      for (const Candidate& candidate : expected.rows[0]) {
        EXPECT_NEAR(candidate.probability,
                    exponents[static_cast<std::size_t>(candidate.index)] / sum, 1e-5);
      }
    }
  }
}

TEST(Predictor, SharesOfTagsAreThoseOfEachRow) {
  const Model model = model_of_words("tags");
  const Predictor predictor(model, 1);
  const Predictor::Shares shares = predictor.shares(make_record(Sentence{{"the", "cat"}}));
  const Prediction prediction = predictor(make_record(Sentence{{"the", "cat"}}), 1);
  ASSERT_EQ(shares.rows, 2);
  const std::size_t tags = shares.network.size() / 2;
  ASSERT_EQ(std::ssize(shares.network), 2 * model.config().output->classes());
  for (std::size_t row = 0; row < 2; ++row) {
    const auto begin = shares.network.begin() + static_cast<std::ptrdiff_t>(row * tags);
    const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(tags));
    EXPECT_EQ(prediction.rows[row][0].index, best - begin);
  }
  EXPECT_TRUE(shares.wide.empty());
}

TEST(Predictor, TextsTooLongToBeReadAtOnceAreReadInPieces) {
  for (const std::string output : {"label", "tags"}) {
    Config config = made_config(output, "window");
    test::text_of(config).truncation = 0;
    Dataset train;
    for (Record& record : made_records(20, output)) train.records.push_back(std::move(record));
    config.input->fit(train);
    const Model model(config);
    const Predictor predictor(model, 2);
    Random random(3);
    Sentence sentence;
    std::string text;
    for (int i = 0; i < 40000; ++i) {
      sentence.words.push_back(kWords[random.below(static_cast<std::uint32_t>(kWords.size()))]);
      text += sentence.words.back() + " ";
    }
    const bool label = output == "label";
    const Record record = label ? make_record(Text{text}) : make_record(sentence);
    const Prediction alone = predictor(record, 2);
    ASSERT_EQ(alone.rows.size(), label ? 1u : 40000u);
    ASSERT_EQ(alone.rows[0].size(), 2u);
    EXPECT_GE(alone.rows[0][0].probability, alone.rows[0][1].probability);
    expect_same(predictor(std::span(&record, 1), 2)[0], alone);
    if (label) continue;
    // The first words are answered as if they stood alone, as this body has no far neighbours.
    sentence.words.resize(1000);
    const Prediction part = predictor(make_record(sentence), 2);
    for (std::size_t row = 0; row < 500; ++row) {
      EXPECT_EQ(part.rows[row][0].index, alone.rows[row][0].index) << row;
    }
  }
}

}  // namespace
}  // namespace heed
