#include "heed/model/wide/linear_crf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "heed/base/file.h"
#include "heed/model/wide/linear_crf_network.h"
#include "heed/model/wide/word_features.h"
#include "tests/support/made_examples.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr Index kTags = 3;
constexpr double kUnlimited = 1e9;

std::vector<std::set<std::string>> features_of(const std::vector<std::string>& words) {
  std::vector<std::set<std::string>> rows(words.size());
  each_word_feature(words,
                    [&](std::size_t row, std::string_view feature) { rows[row].emplace(feature); });
  return rows;
}

TEST(WordFeatures, AreTheWordItsNeighboursItsEndsAndHowItIsWritten) {
  const auto rows = features_of({"Prices", "fell", "4.5", "%"});
  ASSERT_EQ(rows.size(), 4u);
  for (const char* expected :
       {"W0 Prices", "w0 prices", "w-1 <>", "w+1 fell", "w+2 0.0", "w0 w+1 prices|fell",
        "w-1 w0 w+1 <>|prices|fell", "p 1|p", "p 4|pric", "s 2|es", "s 4|ices", "f0 Xx",
        "f0 f+1 Xx|x", "s+1 ell", "s0 s+1 es|ll", "s0 w+1 ces|fell"}) {
    EXPECT_TRUE(rows[0].contains(expected)) << expected;
  }
  for (const char* expected : {"W0 4.5", "w0 0.0", "w-1 fell", "w-2 prices", "f0 0.0", "w+2 <>",
                               "w-1 w+1 fell|%", "f-1 f0 f+1 x|0.0|%"}) {
    EXPECT_TRUE(rows[2].contains(expected)) << expected;
  }
}

TEST(WordFeatures, CountCharactersAndNotBytes) {
  const auto rows = features_of({"Öl", "größer", "", "\xff"});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(rows[0].contains("w0 öl"));
  EXPECT_TRUE(rows[0].contains("f0 Xx"));
  EXPECT_TRUE(rows[0].contains("p 1|ö"));
  EXPECT_TRUE(rows[0].contains("p 4|öl")) << "all of a short word";
  EXPECT_TRUE(rows[1].contains("s 4|ößer"));
  EXPECT_TRUE(rows[2].contains("w0 "));
}

LinearCrfOptions crf_options(Index entries) {
  LinearCrfOptions options;
  options.entries = entries;
  return options;
}

// A sentence as the features of each word, and its tags.
struct Made {
  std::vector<Ids> rows;
  Ids tags;
};

Batch batch_of(const std::vector<Made>& sentences) {
  Batch batch;
  for (const Made& sentence : sentences) {
    batch.lengths.push_back(std::ssize(sentence.rows));
    Ragged<std::int32_t>& features = batch.wide.integers(LinearCrfWide::kFeatures);
    Ids counts;
    for (const Ids& row : sentence.rows) {
      for (const std::int32_t feature : row) features.push(feature);
      counts.push_back(static_cast<std::int32_t>(row.size()));
    }
    features.close();
    batch.wide.integers(LinearCrfWide::kCounts).add(counts);
    batch.answer.integers(0).add(sentence.tags);
  }
  return batch;
}

// log p of each tag in each row, from all sequences of tags.
std::vector<std::vector<double>> slow_log_chances(const Parameters& parameters, const Made& made) {
  const auto number = [&](const char* name, Index row, Index column) {
    return static_cast<double>(parameters.find(name)->value.row(row)[column]);
  };
  const auto one = [&](const char* name, Index i) {
    return static_cast<double>(parameters.find(name)->value[i]);
  };
  const std::size_t length = made.rows.size();
  std::vector<std::vector<double>> sums(length, std::vector<double>(kTags, 0.0));
  double all = 0.0;
  Ids tags(length, 0);
  for (bool more = true; more;) {
    double score = one("start", tags.front()) + one("end", tags.back());
    for (std::size_t i = 0; i < length; ++i) {
      for (const Index feature : made.rows[i]) score += number("weight", feature, tags[i]);
      if (i > 0) score += number("transitions", tags[i - 1], tags[i]);
    }
    all += std::exp(score);
    for (std::size_t i = 0; i < length; ++i) {
      sums[i][static_cast<std::size_t>(tags[i])] += std::exp(score);
    }
    more = false;
    for (std::size_t i = 0; i < length && !more; ++i) {
      more = ++tags[i] < kTags;
      if (!more) tags[i] = 0;
    }
  }
  for (auto& row : sums) {
    for (double& sum : row) sum = std::log(sum / all);
  }
  return sums;
}

class LinearCrfTest : public testing::Test {
 protected:
  void fill() {
    Random random(5);
    for (const Parameter& parameter : parameters_) {
      for (float& value : parameter.value.span()) value = random.normal();
    }
  }

  Parameters parameters_{1};
  const std::vector<Made> sentences_ = {
      {{{0, 3, 4}, {}, {2, 1}}, {}}, {{{4}}, {}}, {{{1}, {1, 2}, {0}, {3, 0}}, {}}};
};

TEST_F(LinearCrfTest, ScoresAreTheLogarithmsOfItsProbabilities) {
  LinearCrfOptions options = crf_options(5);
  options.weight = 0.5f;
  const LinearCrfNetwork network(parameters_, options, kTags);
  fill();
  const Batch batch = batch_of(sentences_);
  Context context;
  context.begin(Mode::kEvaluate);
  const Var all = network(context, batch);
  ASSERT_EQ(all.shape(), (Shape{8, kTags}));
  Index row = 0;
  for (const Made& sentence : sentences_) {
    for (const std::vector<double>& expected : slow_log_chances(parameters_, sentence)) {
      for (std::size_t tag = 0; tag < expected.size(); ++tag) {
        EXPECT_NEAR(all.value.row(row)[tag], 0.5 * expected[tag], 1e-5);
      }
      ++row;
    }
  }
  const Var part = network(context, test::part_of(batch, 1, 2));
  for (Index i = 0; i < part.value.count(); ++i) EXPECT_EQ(part.value[i], all.value[i + 3 * kTags]);
}

TEST_F(LinearCrfTest, InTrainingTheNetworkLearnsByItself) {
  const LinearCrfNetwork network(parameters_, crf_options(5), kTags);
  Context context;
  context.begin(Mode::kTrain);
  EXPECT_EQ(network(context, batch_of(sentences_)).value.data, nullptr);
  for (const Parameter& parameter : parameters_) EXPECT_TRUE(parameter.rule.frozen);
}

// Feature 1 says tag 1; a word with feature 0 has tag 2 behind tag 1, and tag 0 elsewhere.
std::vector<Made> chain_sentences() {
  return {{{{1}, {0}, {0}}, {1, 2, 0}},
          {{{0}, {1}, {0}}, {0, 1, 2}},
          {{{0}, {0}, {1}}, {0, 0, 1}},
          {{{1}, {1}, {0}, {0}}, {1, 1, 2, 0}}};
}

TEST_F(LinearCrfTest, LearnsFeaturesAndWhatFollowsWhatTheSameEachTime) {
  LinearCrfOptions options = crf_options(3);
  options.epochs = 60;
  options.l2 = 0.01f;
  LinearCrfNetwork network(parameters_, options, kTags);
  const std::vector<Made> sentences = chain_sentences();
  std::vector<float> first;
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(network.learn(StoredExamples(batch_of(sentences)), 1, kUnlimited));
    Context context;
    context.begin(Mode::kEvaluate);
    const Var scores = network(context, batch_of(sentences));
    Index row = 0;
    for (const Made& sentence : sentences) {
      for (const std::int32_t tag : sentence.tags) {
        EXPECT_GT(scores.value.row(row)[tag], std::log(0.8)) << row;
        ++row;
      }
    }
    const Tensor& weight = parameters_.find("weight")->value;
    for (Index tag = 0; tag < kTags; ++tag) EXPECT_EQ(weight.row(2)[tag], 0.0f) << "no word has it";
    if (first.empty()) first.assign(weight.span().begin(), weight.span().end());
    EXPECT_TRUE(std::equal(first.begin(), first.end(), weight.span().begin()));
  }
}

TEST_F(LinearCrfTest, L2KeepsScoresSmall) {
  const auto largest = [&](float l2) {
    Parameters parameters(1);
    LinearCrfOptions options = crf_options(3);
    options.l2 = l2;
    LinearCrfNetwork network(parameters, options, kTags);
    EXPECT_TRUE(network.learn(StoredExamples(batch_of(chain_sentences())), 1, kUnlimited));
    float found = 0.0f;
    for (const float value : parameters.find("weight")->value.span()) {
      found = std::max(found, std::abs(value));
    }
    return found;
  };
  EXPECT_LT(largest(3.0f), 0.5f * largest(0.0f));
  const float least = largest(1e6f);  // the table's scale would be 0 after some steps
  EXPECT_TRUE(std::isfinite(least));
  EXPECT_LT(least, largest(3.0f));
}

TEST_F(LinearCrfTest, LearnsNothingWithoutTimeOrFromSentencesWithoutTags) {
  LinearCrfNetwork network(parameters_, crf_options(3), kTags);
  EXPECT_FALSE(network.learn(StoredExamples(batch_of(chain_sentences())), 1, 0.0));
  std::vector<Made> sentences = chain_sentences();
  for (Made& sentence : sentences) sentence.tags.back() = kNoAnswer;
  EXPECT_TRUE(network.learn(StoredExamples(batch_of(sentences)), 1, kUnlimited));
  for (const float value : parameters_.find("weight")->value.span()) EXPECT_EQ(value, 0.0f);
}

// A part that has met "the cat sees the dog" and "the cat".
LinearCrfWide fitted_crf(Index min_count = 2) {
  Dataset train;
  train.records.push_back(make_record(Sentence{{"The", "cat", "sees", "the", "dog"}}));
  train.records.push_back(make_record(Sentence{{"The", "cat"}}));
  LinearCrfWide wide;
  wide.options().min_count = min_count;
  wide.fit(train, kTags);
  return wide;
}

Batch prepared(const LinearCrfWide& wide, const std::vector<std::string>& words, Index rows) {
  Batch batch;
  batch.lengths.push_back(rows);
  wide.prepare(Sentence{words}, batch);
  return batch;
}

TEST(LinearCrfFeatures, AreThoseSeenOftenEnough) {
  const LinearCrfWide wide = fitted_crf();
  const test::TemporaryFolder folder;
  wide.save(folder.path());
  const Vocabulary features = Vocabulary::load(folder.path("wide_features.txt"));
  EXPECT_EQ(features.size(), wide.options().entries);
  EXPECT_GT(fitted_crf(1).options().entries, wide.options().entries);
  const Batch batch = prepared(wide, {"the", "dog"}, 2);
  std::set<std::string> found;
  for (const std::int32_t id : batch.wide.integers(LinearCrfWide::kFeatures).values()) {
    found.insert(features.word(id));
  }
  EXPECT_TRUE(found.contains("w0 the")) << "three times, in any case";
  EXPECT_FALSE(found.contains("w0 dog")) << "once";
  EXPECT_FALSE(found.contains("W0 the")) << "once in lower case";
  EXPECT_FALSE(found.contains(std::string(Vocabulary::kUnknownWord)));
}

TEST(LinearCrfFeatures, AreOfTheRowsThatTheInputReads) {
  const LinearCrfWide wide = fitted_crf();
  const auto counts = [&](const std::vector<std::string>& words, Index rows) {
    const Batch batch = prepared(wide, words, rows);
    const auto of_rows = batch.wide.integers(LinearCrfWide::kCounts).values();
    std::int32_t sum = 0;
    for (const std::int32_t count : of_rows) sum += count;
    EXPECT_EQ(sum, std::ssize(batch.wide.integers(LinearCrfWide::kFeatures).values()));
    return Ids(of_rows.begin(), of_rows.end());
  };
  EXPECT_EQ(counts({}, 1), Ids{0}) << "no sequence is empty";
  EXPECT_EQ(counts({"the", "cat", "sees"}, 3).size(), 3u);
  EXPECT_EQ(counts({"the", "cat", "sees"}, 2).size(), 2u) << "truncated";
  EXPECT_GT(counts({"the", "cat"}, 2)[1], 5);
}

TEST(LinearCrfFeatures, AreTheSameWhenTheyAreLoaded) {
  const LinearCrfWide wide = fitted_crf();
  const test::TemporaryFolder folder;
  wide.save(folder.path());
  for (const std::string& name : wide.files()) EXPECT_TRUE(file_exists(folder.path(name))) << name;
  LinearCrfWide loaded;
  loaded.options() = wide.options();
  loaded.load(folder.path());
  const Batch one = prepared(wide, {"the", "dog"}, 2), two = prepared(loaded, {"the", "dog"}, 2);
  for (const auto column : {LinearCrfWide::kFeatures, LinearCrfWide::kCounts}) {
    const auto a = one.wide.integers(column).values(), b = two.wide.integers(column).values();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
  loaded.options().entries = 8;
  EXPECT_THROW(loaded.load(folder.path()), FormatError);
}

}  // namespace
}  // namespace heed
