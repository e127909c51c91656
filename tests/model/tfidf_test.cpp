#include "heed/model/wide/tfidf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/base/file.h"
#include "heed/model/model.h"
#include "heed/model/wide/tfidf_network.h"
#include "tests/support/made_examples.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr Index kClasses = 3;
constexpr double kNoLimit = 1e9;

TfidfOptions tfidf_options(float svm = 4.0f, float naive_bayes = 0.0f) {
  TfidfOptions options;
  options.entries = 7;
  options.svm = svm;
  options.naive_bayes = naive_bayes;
  return options;
}

// A text as its features, how often each is there, and its label.
struct Made {
  Ids features, counts;
  std::int32_t label = kNoAnswer;
};

Batch batch_of(const std::vector<Made>& texts) {
  Batch batch;
  for (const Made& text : texts) {
    batch.lengths.push_back(1);
    batch.wide.integers(TfidfWide::kFeatures).add(text.features);
    batch.wide.integers(TfidfWide::kCounts).add(text.counts);
    batch.answer.integers(0).add({&text.label, 1});
  }
  return batch;
}

// From the definition: Σ (1 + log count) · idf · score, divided by the values' length, and the
// bias, feature 0.
double expected_score(const Parameters& parameters, const Made& text, Index label) {
  const Parameter& weight = *parameters.find("weight");
  const Parameter& idf = *parameters.find("idf");
  double sum = 0.0, squares = 0.0, bias = 0.0;
  for (std::size_t i = 0; i < text.features.size(); ++i) {
    const Index id = text.features[i];
    if (id == 0) {
      bias = static_cast<double>(weight.value.row(0)[label]);
      continue;
    }
    const double count = static_cast<double>(text.counts[i]);
    const double each = (1.0 + std::log(count)) * static_cast<double>(idf.value[id]);
    sum += each * static_cast<double>(weight.value.row(id)[label]);
    squares += each * each;
  }
  return bias + (squares > 0.0 ? sum / std::sqrt(squares) : 0.0);
}

class TfidfTest : public testing::Test {
 protected:
  void fill() {
    Random random(5);
    const auto number = [&] { return static_cast<float>(random.below(1000)) / 500.0f - 1.0f; };
    for (const Parameter& parameter : parameters_) {
      for (float& value : parameter.value.span()) value = 1.5f + number();
    }
  }

  Parameters parameters_{1};
  const std::vector<Made> texts_ = {
      {{0, 3, 6}, {1, 2, 9}}, {{2}, {4}}, {{1, 2, 3, 4}, {1, 1, 1, 3}}};
};

TEST_F(TfidfTest, ScoresAreWhatTheDefinitionSays) {
  TfidfNetwork network(parameters_, tfidf_options(), kClasses);
  fill();
  const Batch batch = batch_of(texts_);
  Context context;
  context.begin(Mode::kEvaluate);
  const Var all = network(context, batch);
  ASSERT_EQ(all.shape(), (Shape{3, 3}));
  for (Index s = 0; s < 3; ++s) {
    for (Index label = 0; label < 3; ++label) {
      EXPECT_NEAR(all.value.row(s)[label],
                  expected_score(parameters_, texts_[static_cast<std::size_t>(s)], label), 1e-5);
    }
  }
  const Var part = network(context, test::part_of(batch, 1, 2));
  for (Index s = 0; s < 2; ++s) {
    for (Index label = 0; label < 3; ++label) {
      EXPECT_EQ(part.value.row(s)[label], all.value.row(s + 1)[label]);
    }
  }
}

TEST_F(TfidfTest, InTrainingTheNetworkLearnsByItself) {
  TfidfNetwork network(parameters_, tfidf_options(), kClasses);
  Context context;
  context.begin(Mode::kTrain);
  EXPECT_EQ(network(context, batch_of(texts_)).value.data, nullptr);
  for (const Parameter& parameter : parameters_) EXPECT_TRUE(parameter.rule.frozen);
}

// Three texts of each of three classes, each with a word that the other classes do not have.
std::vector<Made> three_classes() {
  std::vector<Made> texts;
  for (std::int32_t label = 0; label < 3; ++label) {
    texts.push_back({{0, 1 + label}, {1, 1}, label});
    texts.push_back({{1 + label, 4}, {2, 1}, label});
    texts.push_back({{0, 1 + label, 5}, {1, 1, 3}, label});
  }
  return texts;
}

TEST_F(TfidfTest, LearnsWhatWordsSayTheSameWithAnyNumberOfWorkers) {
  std::vector<float> first;
  for (const int workers : {1, 2, 5}) {
    Parameters parameters(1);
    TfidfNetwork network(parameters, tfidf_options(), kClasses);
    const std::vector<Made> texts = three_classes();
    ASSERT_TRUE(network.learn(StoredExamples(batch_of(texts)), workers, kNoLimit));
    const Tensor& weight = parameters.find("weight")->value;
    for (Index label = 0; label < 3; ++label) {
      for (Index other = 0; other < 3; ++other) {
        if (other == label) continue;
        EXPECT_GT(weight.row(1 + label)[label], 1.0f);
        EXPECT_LT(weight.row(1 + label)[other], 0.0f);
      }
      EXPECT_EQ(weight.row(6)[label], 0.0f) << "no text has it";
    }
    const auto all = weight.span();
    if (first.empty()) first.assign(all.begin(), all.end());
    EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin(), all.end()));
  }
}

TEST_F(TfidfTest, LearnsTheSameFromAllTextsWhateverItLearnedBefore) {
  const std::vector<Made> texts = three_classes();
  const StoredExamples all(batch_of(texts));
  Parameters at_once(1);
  TfidfNetwork fresh(at_once, tfidf_options(), kClasses);
  ASSERT_TRUE(fresh.learn(all, 1, kNoLimit));
  // All classes at first, then two of three: of the last one there is nothing to tell apart.
  for (const std::size_t some : {8u, 5u, 2u}) {
    Parameters in_two(1);
    TfidfNetwork network(in_two, tfidf_options(), kClasses);
    const std::vector<Made> first(texts.begin(), texts.begin() + static_cast<Index>(some));
    ASSERT_TRUE(network.learn(StoredExamples(batch_of(first)), 1, kNoLimit));
    ASSERT_TRUE(network.learn(all, 1, kNoLimit));
    const auto expected = at_once.find("weight")->value.span();
    const auto got = in_two.find("weight")->value.span();
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], expected[i], 0.1) << some << ", " << i;  // as exact as it solves
    }
  }
}

TEST_F(TfidfTest, LearnsNothingWithoutTime) {
  TfidfNetwork network(parameters_, tfidf_options(), kClasses);
  EXPECT_FALSE(network.learn(StoredExamples(batch_of(three_classes())), 1, 0.0));
}

// Complement naive Bayes from its definition.
double slow_naive_bayes(const std::vector<Made>& texts, const Tensor& idf, Index feature,
                        std::int32_t label) {
  const auto others = [&](std::int32_t of) {
    double here = 0.0, all = 0.0;
    for (const Made& text : texts) {
      if (text.label == of) continue;
      std::vector<float> values(text.features.size());
      TfidfValues{idf, 0}(text.features, text.counts, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        all += static_cast<double>(values[i]);
        if (text.features[i] == feature) here += static_cast<double>(values[i]);
      }
    }
    return std::log((all + 0.05 * 7.0) / (here + 0.05));
  };
  return others(label) - (others(0) + others(1) + others(2)) / 3.0;
}

// Each by its weight.
TEST_F(TfidfTest, ScoresOfTheSvmAndOfNaiveBayesAddUp) {
  const std::vector<Made> texts = three_classes();
  const StoredExamples examples(batch_of(texts));
  Parameters alone(2);
  TfidfNetwork both(parameters_, tfidf_options(4.0f, 0.7f), kClasses);
  TfidfNetwork svm(alone, tfidf_options(1.0f, 0.0f), kClasses);
  ASSERT_TRUE(both.learn(examples, 1, kNoLimit));
  ASSERT_TRUE(svm.learn(examples, 1, kNoLimit));
  const Tensor& idf = parameters_.find("idf")->value;
  for (Index feature = 0; feature < 7; ++feature) {
    for (std::int32_t label = 0; label < 3; ++label) {
      const double linear = static_cast<double>(alone.find("weight")->value.row(feature)[label]);
      EXPECT_NEAR(parameters_.find("weight")->value.row(feature)[label],
                  4.0 * linear + 0.7 * slow_naive_bayes(texts, idf, feature, label), 1e-5);
    }
  }
}

TEST_F(TfidfTest, WhatIsLearnedAfterItWasWeighedIsWeighedToo) {
  const StoredExamples examples(batch_of(three_classes()));
  Parameters plain(1);
  TfidfNetwork one(plain, tfidf_options(), kClasses), other(parameters_, tfidf_options(), kClasses);
  ASSERT_TRUE(one.learn(examples, 1, kNoLimit));
  ASSERT_TRUE(other.learn(examples, 1, kNoLimit));
  const float before = plain.find("weight")->value.row(1)[0];
  const auto score = [&] { return parameters_.find("weight")->value.row(1)[0]; };
  other.weigh(0.5f);
  EXPECT_NEAR(score(), 0.5f * before, 1e-6f);
  other.weigh(3.0f);
  EXPECT_NEAR(score(), 1.5f * before, 1e-5f);
  ASSERT_TRUE(other.learn(examples, 1, kNoLimit));
  EXPECT_NEAR(score(), 1.5f * before, 1e-5f);
}

// Of which an SVM and naive Bayes learn different scores.
std::vector<Made> texts_by_chance() {
  Random random(3);
  std::vector<Made> texts;
  for (int i = 0; i < 60; ++i) {
    Made text;
    for (std::int32_t feature = 0; feature < 7; ++feature) {
      if (random.below(3) > 0 && feature < 6) continue;
      text.features.push_back(feature);
      text.counts.push_back(1 + static_cast<std::int32_t>(random.below(3)));
    }
    text.label = static_cast<std::int32_t>(random.below(kClasses));
    texts.push_back(text);
  }
  return texts;
}

// Texts of one and of two features, each with the label that `parameters` give the highest score.
std::vector<Made> texts_labelled_by(const Parameters& parameters) {
  std::vector<Made> texts;
  for (std::int32_t first = 0; first < 7; ++first) {
    for (std::int32_t second = first; second < 7; ++second) {
      Made text{{first}, {1}};
      if (second > first) text = {{first, second}, {1, 2}};
      text.label = 0;
      for (std::int32_t label = 1; label < kClasses; ++label) {
        if (expected_score(parameters, text, label) >
            expected_score(parameters, text, text.label)) {
          text.label = label;
        }
      }
      texts.insert(texts.end(), 20, text);  // few would say little
    }
  }
  return texts;
}

// Where held-out texts are against naive Bayes, it counts less; never more than it may.
TEST_F(TfidfTest, NaiveBayesCountsAsHeldOutTextsSay) {
  const StoredExamples examples(batch_of(texts_by_chance()));
  Parameters linear(2), bayesian(2);
  TfidfNetwork both(parameters_, tfidf_options(4.0f, 3.0f), kClasses);
  TfidfNetwork svm(linear, tfidf_options(4.0f, 0.0f), kClasses);
  TfidfNetwork bayes(bayesian, tfidf_options(0.0f, 3.0f), kClasses);
  for (TfidfNetwork* each : {&both, &svm, &bayes}) {
    ASSERT_TRUE(each->learn(examples, 1, kNoLimit));
  }
  const Tensor& weight = parameters_.find("weight")->value;
  const std::vector<float> before(weight.data, weight.data + weight.count());
  EXPECT_EQ(both.balance(StoredExamples(batch_of(texts_labelled_by(bayesian)))), 1.0f);
  EXPECT_EQ(std::vector<float>(weight.data, weight.data + weight.count()), before);

  Parameters against(2);
  const TfidfNetwork other(against, tfidf_options(), kClasses);
  for (const char* name : {"weight", "idf"}) {
    for (Index i = 0; i < linear.find(name)->value.count(); ++i) {
      against.find(name)->value.data[i] =
          linear.find(name)->value.data[i] -
          (name == std::string("weight") ? bayesian.find(name)->value.data[i] : 0.0f);
    }
  }
  const float factor = both.balance(StoredExamples(batch_of(texts_labelled_by(against))));
  EXPECT_GT(factor, 0.0f);
  EXPECT_LT(factor, 0.9f);
  const auto expect_balanced = [&] {
    for (Index i = 0; i < weight.count(); ++i) {
      const float expected =
          linear.find("weight")->value.data[i] + factor * bayesian.find("weight")->value.data[i];
      EXPECT_NEAR(weight.data[i], expected, 1e-5f);
    }
  };
  expect_balanced();
  for (TfidfNetwork* each : {&both, &svm}) {  // what is learned from now on too
    ASSERT_TRUE(each->learn(examples, 1, kNoLimit));
  }
  expect_balanced();
  for (TfidfNetwork* alone : {&svm, &bayes}) {  // nothing to balance
    EXPECT_EQ(alone->balance(StoredExamples(batch_of(texts_labelled_by(linear)))), 1.0f);
  }
}

TEST_F(TfidfTest, IdfCountsTheTextsThatHaveAWord) {
  TfidfNetwork network(parameters_, tfidf_options(), kClasses);
  ASSERT_TRUE(network.learn(StoredExamples(batch_of(three_classes())), 1, kNoLimit));
  const Tensor& idf = parameters_.find("idf")->value;
  EXPECT_NEAR(idf[0], 1.0 + std::log(10.0 / 7.0), 1e-6);
  EXPECT_NEAR(idf[1], 1.0 + std::log(10.0 / 4.0), 1e-6);
  EXPECT_NEAR(idf[6], 1.0 + std::log(10.0 / 1.0), 1e-6);
}

// A part that has met "the cat sees the dog", "the cat" and "the".
TfidfWide fitted_tfidf(Index pairs = 10, Index ngrams = 0) {
  Dataset train;
  for (const char* text : {"the cat sees the dog", "the cat", "the"}) {
    train.records.push_back(make_record(Text{text}));
  }
  TfidfWide wide;
  wide.options().pairs = pairs;
  wide.options().pairs_min_count = 1;
  wide.options().char_ngrams.most = ngrams;
  wide.fit(train, 3);
  return wide;
}

TEST(TfidfFeatures, AreWordsAndPairsOfTheWholeText) {
  const TfidfWide wide = fitted_tfidf();
  EXPECT_EQ(wide.summary(),
            "an SVM and naive Bayes over TF-IDF of 5 words and 4 pairs");  // with the unknown word
  EXPECT_EQ(wide.options().entries, 9);
  const test::TemporaryFolder folder;
  wide.save(folder.path());
  const Vocabulary words = Vocabulary::load(folder.path("wide_words.txt"));
  const WordPairs pairs = WordPairs::load(folder.path("wide_pairs.txt"), words);
  const auto named = [&](const Content& content) {
    Batch batch;
    wide.prepare(content, batch);
    const auto features = batch.wide.integers(TfidfWide::kFeatures).values();
    std::map<std::string, std::int32_t> found;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const auto size = static_cast<std::int32_t>(words.size());
      found[features[i] < size ? words.word(features[i]) : pairs.text(features[i] - size, words)] =
          batch.wide.integers(TfidfWide::kCounts).values()[i];
    }
    return found;
  };
  using Found = std::map<std::string, std::int32_t>;
  const std::string bias(Vocabulary::kUnknownWord);
  const Found expected = {{bias, 1}, {"the", 2}, {"cat", 2}, {"the cat", 2}};
  EXPECT_EQ(named(Text{"The cat and the cat see"}), expected);
  EXPECT_EQ(named(Sentence{{"The", "cat", "and", "the", "cat", "see"}}), expected);
  for (const char* text : {"unheard of", "", "  "}) {
    EXPECT_EQ(named(Text{text}), (Found{{bias, 1}})) << text;
  }
  EXPECT_EQ(fitted_tfidf(0).options().entries, 5);
}

TEST(TfidfFeatures, AreTheSameWhenTheyAreLoaded) {
  const TfidfWide wide = fitted_tfidf(10, 1000);
  const test::TemporaryFolder folder;
  wide.save(folder.path());
  for (const std::string& name : wide.files()) EXPECT_TRUE(file_exists(folder.path(name))) << name;
  TfidfWide loaded;
  loaded.options() = wide.options();
  loaded.load(folder.path());
  Batch one, two;
  wide.prepare(Text{"the dog and the cat"}, one);
  loaded.prepare(Text{"the dog and the cat"}, two);
  for (const auto column : {TfidfWide::kFeatures, TfidfWide::kCounts}) {
    const auto a = one.wide.integers(column).values(), b = two.wide.integers(column).values();
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
  loaded.options().entries = 19;
  EXPECT_THROW(loaded.load(folder.path()), FormatError);
}

// The table of scores has a limit: with many classes the rarest features go.
TEST(TfidfFeatures, AreFewerWhereThereAreManyClasses) {
  Dataset train;
  for (const char* text : {"the cat sees the dog", "the cat", "the"}) {
    train.records.push_back(make_record(Text{text}));
  }
  TfidfWide wide;
  wide.options().pairs_min_count = 1;
  wide.options().char_ngrams.most = 0;
  wide.fit(train, TfidfWide::kMostScores / 7);
  EXPECT_EQ(wide.summary(), "an SVM and naive Bayes over TF-IDF of 5 words and 2 pairs");
  wide.fit(train, TfidfWide::kMostScores / 3);
  EXPECT_EQ(wide.summary(), "an SVM and naive Bayes over TF-IDF of 3 words and 0 pairs");
  wide.options().char_ngrams.most = 100;
  wide.fit(train, TfidfWide::kMostScores / 12);
  EXPECT_EQ(wide.summary(),
            "an SVM and naive Bayes over TF-IDF of 5 words, 3 pairs and 4 character n-grams");
}

// Those of "the", which is there four times: <t, <th, <the, <the>, th, the, the>, he, he>, e>.
TEST(TfidfFeatures, AreNgramsOfCharactersToo) {
  const TfidfWide wide = fitted_tfidf(10, 1000);
  EXPECT_EQ(wide.summary(),
            "an SVM and naive Bayes over TF-IDF of 5 words, 4 pairs and 11 character n-grams");
  EXPECT_EQ(wide.options().entries, 20);
  EXPECT_EQ(wide.options().char_ngrams.entries, 11);
  const auto ngrams_of = [&](const char* text) {
    Batch batch;
    wide.prepare(Text{text}, batch);
    const auto features = batch.wide.integers(TfidfWide::kFeatures).values();
    EXPECT_TRUE(std::is_sorted(features.begin(), features.end()));
    return std::count_if(features.begin(), features.end(), [](auto id) { return id >= 9; });
  };
  EXPECT_EQ(ngrams_of("the"), 10);
  EXPECT_EQ(ngrams_of("then"), 6);  // <t, <th, <the, th, the, he
  EXPECT_EQ(ngrams_of("xyz"), 0);
}

TEST(TfidfFeatures, OfWordsAndNgramsCountAlike) {
  std::vector<float> twos(7, 2.0f);
  const Tensor idf{twos.data(), Shape{7}};
  const Ids features = {1, 2, 4, 5, 6}, counts = {1, 1, 1, 1, 3};
  std::vector<float> values(5);
  TfidfValues{idf, 3}(features, counts, values);
  double words = 0.0, ngrams = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    (i < 2 ? words : ngrams) += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  EXPECT_NEAR(words, 0.5, 1e-6);
  EXPECT_NEAR(ngrams, 0.5, 1e-6);
  EXPECT_NEAR(values[4] / values[3], 1.0 + std::log(3.0), 1e-5);
  TfidfValues{idf, 0}(features, counts, values);
  EXPECT_NEAR(values[0], values[2], 1e-6);
  TfidfValues{idf, 0}(Ids{0, 3}, Ids{7, 1}, values);
  EXPECT_EQ(values[0], 1.0f) << "the bias";
  EXPECT_NEAR(values[1], 1.0f, 1e-6);
}

}  // namespace
}  // namespace heed
