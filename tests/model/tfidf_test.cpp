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

TfidfOptions tfidf_options(float dropout = 0.0f, float naive_bayes = 0.0f) {
  TfidfOptions options;
  options.entries = 7;
  options.scale = 3.0f;
  options.dropout = dropout;
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

// From the definition: scale · Σ (1 + log count) · idf · score, divided by the values' length.
double expected_score(const Parameters& parameters, const Made& text, Index label, double scale) {
  const Parameter& weight = *parameters.find("weight");
  const Parameter& idf = *parameters.find("idf");
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < text.features.size(); ++i) {
    const Index id = text.features[i];
    const double count = static_cast<double>(text.counts[i]);
    const double each = (1.0 + std::log(count)) * static_cast<double>(idf.value[id]);
    sum += each * static_cast<double>(weight.value.row(id)[label]);
    squares += each * each;
  }
  return scale * sum / std::sqrt(squares);
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
  const TfidfNetwork network(parameters_, tfidf_options(), kClasses);
  fill();
  const Batch batch = batch_of(texts_);
  Context context;
  context.begin(Mode::kEvaluate);
  const Var all = network(context, batch);
  ASSERT_EQ(all.shape(), (Shape{3, 3}));
  for (Index s = 0; s < 3; ++s) {
    for (Index label = 0; label < 3; ++label) {
      EXPECT_NEAR(all.value.row(s)[label],
                  expected_score(parameters_, texts_[static_cast<std::size_t>(s)], label, 3.0),
                  1e-5);
    }
  }
  const Var part = network(context, test::part_of(batch, 1, 2));
  for (Index s = 0; s < 2; ++s) {
    for (Index label = 0; label < 3; ++label) {
      EXPECT_EQ(part.value.row(s)[label], all.value.row(s + 1)[label]);
    }
  }
}

TEST_F(TfidfTest, DropoutLeavesOutFeaturesAndKeepsTheirSumOnAverage) {
  const TfidfNetwork network(parameters_, tfidf_options(0.25f), kClasses);
  fill();
  const Batch batch = batch_of(texts_);
  const double expected = expected_score(parameters_, texts_[2], 0, 3.0);
  double sum = 0.0;
  Index different = 0;
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) {
    Context context;
    context.begin(Mode::kTrain, nullptr, {1, static_cast<std::uint64_t>(i)});
    const double drawn = static_cast<double>(network(context, batch).value.row(2)[0]);
    sum += drawn;
    different += std::abs(drawn - expected) > 1e-3 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, expected, 0.03 * std::abs(expected));
  EXPECT_GT(different, kDraws / 2);
}

// The texts of the naive Bayes tests: four, of three classes.
std::vector<Made> labelled_texts(std::vector<Made> texts) {
  texts.push_back({{0, 1, 6}, {2, 1, 1}});
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].label = static_cast<std::int32_t>(i % 3);
  return texts;
}

// Complement naive Bayes from its definition, over texts without the one at `left_out`.
std::vector<double> slow_naive_bayes(const std::vector<Made>& texts, const Tensor& idf,
                                     std::size_t asked, std::size_t left_out) {
  const auto values = [&](const Made& text) {
    std::vector<double> all(static_cast<std::size_t>(idf.count()), 0.0);
    double squares = 0.0;
    for (std::size_t i = 0; i < text.features.size(); ++i) {
      const auto id = static_cast<std::size_t>(text.features[i]);
      all[id] = (1.0 + std::log(static_cast<double>(text.counts[i]))) *
                static_cast<double>(idf[text.features[i]]);
      squares += all[id] * all[id];
    }
    for (double& value : all) value /= std::sqrt(squares);
    return all;
  };
  const std::vector<double> mine = values(texts[asked]);
  std::vector<double> scores(kClasses, 0.0);
  for (std::size_t c = 0; c < scores.size(); ++c) {
    std::vector<double> others(mine.size(), 0.05);
    for (std::size_t e = 0; e < texts.size(); ++e) {
      if (e == left_out || texts[e].label == static_cast<std::int32_t>(c)) continue;
      const std::vector<double> theirs = values(texts[e]);
      for (std::size_t id = 0; id < others.size(); ++id) others[id] += theirs[id];
    }
    double all = 0.0;
    for (const double one : others) all += one;
    for (std::size_t id = 0; id < others.size(); ++id) {
      scores[c] += mine[id] * std::log(all / others[id]);
    }
  }
  const double mean = (scores[0] + scores[1] + scores[2]) / 3.0;
  for (double& score : scores) score -= mean;
  return scores;
}

TEST_F(TfidfTest, NaiveBayesIsThatOfTheComplementAndATextDoesNotCountItself) {
  const std::vector<Made> texts = labelled_texts(texts_);
  const TfidfNetwork network(parameters_, tfidf_options(0.0f, 2.0f), kClasses);
  network.count(StoredExamples(batch_of(texts)));
  const Tensor& weights = parameters_.find("weight")->value;
  std::fill_n(weights.data, weights.count(), 0.0f);  // naive Bayes alone
  const Tensor& idf = parameters_.find("idf")->value;
  for (const Mode mode : {Mode::kEvaluate, Mode::kTrain}) {
    Context context;
    context.begin(mode);
    const Var scores = network(context, batch_of(texts));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::size_t left_out = mode == Mode::kTrain ? i : texts.size();
      const std::vector<double> expected = slow_naive_bayes(texts, idf, i, left_out);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(scores.value.row(static_cast<Index>(i))[c], 2.0 * expected[c], 1e-4)
            << "text " << i << ", class " << c;
      }
    }
  }
}

TEST_F(TfidfTest, IdfIsWhatTheDefinitionSaysAndCountingTwiceIsCountingOnce) {
  const std::vector<Made> texts = labelled_texts(texts_);
  const TfidfNetwork network(parameters_, tfidf_options(0.0f, 2.0f), kClasses);
  const StoredExamples examples(batch_of(texts));
  network.count(examples);
  const double with[] = {2, 2, 2, 2, 1, 0, 2};  // texts that have each feature
  const Tensor& idf = parameters_.find("idf")->value;
  for (Index id = 0; id < 7; ++id) {
    EXPECT_NEAR(idf[id], 1.0 + std::log(5.0 / (1.0 + with[id])), 1e-6) << id;
  }
  const std::span<const float> counts = parameters_.find("counts")->value.span();
  const std::vector<float> before(counts.begin(), counts.end());
  network.count(examples);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), counts.begin(), counts.end()));
}

// A part that has met "the cat sees the dog", "the cat" and "the".
TfidfWide fitted(Index pairs = 10) {
  Dataset train;
  for (const char* text : {"the cat sees the dog", "the cat", "the"}) {
    train.records.push_back(make_record(Text{text}));
  }
  TfidfWide wide;
  wide.options().pairs = pairs;
  wide.fit(train);
  return wide;
}

TEST(TfidfFeatures, AreWordsAndPairsOfTheWholeText) {
  const TfidfWide wide = fitted();
  EXPECT_EQ(wide.summary(), "TF-IDF of 5 words and 4 pairs");  // with the unknown word
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
  const Found expected = {{"the", 2}, {"cat", 2}, {"the cat", 2}};
  EXPECT_EQ(named(Text{"The cat and the cat see"}), expected);
  EXPECT_EQ(named(Sentence{{"The", "cat", "and", "the", "cat", "see"}}), expected);
  for (const char* text : {"unheard of", "", "  "}) {
    EXPECT_EQ(named(Text{text}), (Found{{std::string(Vocabulary::kUnknownWord), 1}})) << text;
  }
  EXPECT_EQ(fitted(0).options().entries, 5);
}

TEST(TfidfFeatures, AreTheSameWhenTheyAreLoaded) {
  const TfidfWide wide = fitted();
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
  loaded.options().entries = 8;
  EXPECT_THROW(loaded.load(folder.path()), FormatError);
}

// Naive Bayes and the scale are folded into one table once nothing is left out.
TEST(ForAnswers, TheFoldedModelAnswersTheSameAndIsSmaller) {
  for (const float naive_bayes : {0.0f, 0.7f}) {
    for (const Index size : {1, 2}) {
      Config config = test::made_config("label");
      test::add_tfidf(config, 40, naive_bayes).scale = 2.5f;
      config.ensemble.size = size;
      Model model(config);
      const Batch batch = test::made_examples(config, 30, 4);
      model.count(StoredExamples(batch));
      Random random(3);
      for (const Parameter& parameter : model.parameters()) {
        if (parameter.rule.frozen) continue;
        for (float& value : parameter.value.span()) value += 0.2f * random.normal();
      }
      const Model folded = model.for_answers();
      const Index counts = naive_bayes > 0.0f ? 41 * 3 + 3 : 0;
      EXPECT_EQ(folded.parameters().size(), model.parameters().size() - counts);
      const auto predict = [&](const Model& asked) {
        Context context;
        context.begin(Mode::kEvaluate);
        return asked.predict(context, batch, 3);
      };
      const std::vector<Prediction> expected = predict(model), found = predict(folded);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
          const Candidate &one = found[i].rows[0][k], &other = expected[i].rows[0][k];
          EXPECT_EQ(one.index, other.index) << "text " << i;
          EXPECT_NEAR(one.probability, other.probability, 1e-5) << "text " << i;
        }
      }
      // Folding what is folded changes nothing.
      const Model again = folded.for_answers();
      EXPECT_EQ(again.parameters().size(), folded.parameters().size());
      const auto table = again.parameters().find("wide.weight")->value.span();
      const auto before = folded.parameters().find("wide.weight")->value.span();
      EXPECT_TRUE(std::equal(before.begin(), before.end(), table.begin(), table.end()));
    }
  }
}

}  // namespace
}  // namespace heed
