#include "heed/model/output/clues.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/grad/loss.h"
#include "heed/model/text_examples.h"
#include "tests/support/made_examples.h"

namespace heed {
namespace {

using Ids = std::vector<std::int32_t>;

Config clue_config(Index entries, float dropout = 0.0f) {
  Config config = test::made_config(OutputKind::kLabel);
  config.text.clues = {
      .kind = ClueKind::kWords, .entries = entries, .scale = 3.0f, .dropout = dropout};
  return config;
}

Example example_of(Ids clues, Ids counts) {
  Example example;
  example.tokens = {1};
  example.clues = std::move(clues);
  example.clue_counts = std::move(counts);
  return example;
}

// From the definition: scale · Σ (1 + log count) · idf · score, divided by the weights' length.
double expected_score(const Parameters& parameters, const Example& example, Index label,
                      double scale) {
  const Parameter& weight = *parameters.find("weight");
  const Parameter& idf = *parameters.find("idf");
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < example.clues.size(); ++i) {
    const Index id = example.clues[i];
    const double count = static_cast<double>(example.clue_counts[i]);
    const double each = (1.0 + std::log(count)) * static_cast<double>(idf.value[id]);
    sum += each * static_cast<double>(weight.value.row(id)[label]);
    squares += each * each;
  }
  return scale * sum / std::sqrt(squares);
}

class CluesTest : public testing::Test {
 protected:
  void fill() {
    Random random(5);
    const auto number = [&] { return static_cast<float>(random.below(1000)) / 500.0f - 1.0f; };
    for (const Parameter& parameter : parameters_) {
      for (float& value : parameter.value.span()) value = 1.5f + number();
    }
  }

  Parameters parameters_{1};
  const std::vector<Example> examples_ = {example_of({0, 3, 6}, {1, 2, 9}), example_of({2}, {4}),
                                          example_of({1, 2, 3, 4}, {1, 1, 1, 3})};
};

TEST_F(CluesTest, ScoresAreWhatTheDefinitionSays) {
  const Clues clues(parameters_, parameters_, clue_config(7));
  fill();
  const Batch batch = test::made_batch(examples_);
  Context context;
  context.begin(Mode::kEvaluate);
  const Var all = clues(context, BatchPart(batch));
  ASSERT_EQ(all.shape(), (Shape{3, 3}));
  for (Index s = 0; s < 3; ++s) {
    for (Index label = 0; label < 3; ++label) {
      EXPECT_NEAR(all.value.row(s)[label],
                  expected_score(parameters_, examples_[static_cast<std::size_t>(s)], label, 3.0),
                  1e-5);
    }
  }
  const Var part = clues(context, BatchPart(batch, 1, 2));
  for (Index s = 0; s < 2; ++s) {
    for (Index label = 0; label < 3; ++label) {
      EXPECT_EQ(part.value.row(s)[label], all.value.row(s + 1)[label]);
    }
  }
}

TEST_F(CluesTest, DropoutLeavesOutCluesAndKeepsTheirSumOnAverage) {
  const Clues clues(parameters_, parameters_, clue_config(7, 0.25f));
  fill();
  const Batch batch = test::made_batch(examples_);
  const double expected = expected_score(parameters_, examples_[2], 0, 3.0);
  double sum = 0.0;
  Index different = 0;
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) {
    Context context;
    context.begin(Mode::kTrain, nullptr, {1, static_cast<std::uint64_t>(i)});
    const double drawn = static_cast<double>(clues(context, BatchPart(batch)).value.row(2)[0]);
    sum += drawn;
    different += std::abs(drawn - expected) > 1e-3 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, expected, 0.03 * std::abs(expected));
  EXPECT_GT(different, kDraws / 2);
}

// Complement naive Bayes from its definition, over examples without the one at `left_out`.
std::vector<double> slow_counted_scores(const std::vector<Example>& examples, const Tensor& idf,
                                        std::size_t asked, std::size_t left_out) {
  constexpr std::size_t kClasses = 3;
  const auto weights = [&](const Example& example) {
    std::vector<double> all(static_cast<std::size_t>(idf.count()), 0.0);
    double squares = 0.0;
    for (std::size_t i = 0; i < example.clues.size(); ++i) {
      const auto id = static_cast<std::size_t>(example.clues[i]);
      all[id] = (1.0 + std::log(static_cast<double>(example.clue_counts[i]))) *
                static_cast<double>(idf[example.clues[i]]);
      squares += all[id] * all[id];
    }
    for (double& weight : all) weight /= std::sqrt(squares);
    return all;
  };
  const std::vector<double> mine = weights(examples[asked]);
  std::vector<double> scores(kClasses, 0.0);
  for (std::size_t c = 0; c < kClasses; ++c) {
    std::vector<double> others(mine.size(), 0.05);
    for (std::size_t e = 0; e < examples.size(); ++e) {
      if (e == left_out || examples[e].label == static_cast<std::int32_t>(c)) continue;
      const std::vector<double> theirs = weights(examples[e]);
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

TEST_F(CluesTest, CountsAreThoseOfComplementNaiveBayesAndATextDoesNotCountItself) {
  Config config = clue_config(7);
  config.text.clues.counted = 2.0f;
  const CountedClues counted(parameters_, parameters_, config);
  std::vector<float> numbers = {1.0f, 2.0f, 1.5f, 3.0f, 1.2f, 1.0f, 2.2f};
  const Tensor idf{numbers.data(), {7}};
  std::vector<Example> examples = examples_;
  examples.push_back(example_of({0, 1, 6}, {2, 1, 1}));
  for (std::size_t i = 0; i < examples.size(); ++i) {
    examples[i].label = static_cast<std::int32_t>(i % 3);
  }
  CountedClues::count(examples, idf, parameters_.find("counts")->value);
  const Batch batch = test::made_batch(examples);
  const BatchPart part(batch);
  for (const Mode mode : {Mode::kEvaluate, Mode::kTrain}) {
    Context context;
    context.begin(mode);
    const Layout layout = Layout::of(context.arena(), part.clue_lengths);
    std::vector<float> weights(static_cast<std::size_t>(layout.rows()));
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const auto begin = static_cast<std::size_t>(layout.begin(static_cast<Index>(i)));
      weigh_clues(examples[i].clues, examples[i].clue_counts, idf,
                  std::span(weights).subspan(begin, examples[i].clues.size()));
    }
    const Var scores = counted(context, part, layout, weights);
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const std::size_t left_out = mode == Mode::kTrain ? i : examples.size();
      const std::vector<double> expected = slow_counted_scores(examples, idf, i, left_out);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(scores.value.row(static_cast<Index>(i))[c], 2.0 * expected[c], 1e-4)
            << "text " << i << ", class " << c;
      }
    }
  }
}

TEST(ClueExamples, AreTokensPairsAndPiecesOfTheWholeText) {
  Config config;
  config.output.names = {"bad", "good"};
  config.text.longest = 2;
  config.text.tokenizer.pairs = 10;
  const std::vector<std::string> texts = {"the cat sees the dog", "the cat", "the"};
  const std::shared_ptr<const Tokenizer> tokenizer = Tokenizer::train(config.text.tokenizer, texts);
  const auto named = [&](const Example& example) {
    std::map<std::string, std::int32_t> found;
    for (std::size_t i = 0; i < example.clues.size(); ++i) {
      if (example.clues[i] >= tokenizer->size()) continue;
      found[tokenizer->piece(example.clues[i])] = example.clue_counts[i];
    }
    return found;
  };
  const std::string text = "The cat and the cat see";

  EXPECT_TRUE(TextExamples(config, tokenizer).labelled(text, "good").clues.empty());

  config.text.clues.kind = ClueKind::kWords;
  count_entries(*tokenizer, config.text);
  EXPECT_EQ(config.text.clues.entries, tokenizer->size());
  EXPECT_EQ(config.text.entries, tokenizer->size() - tokenizer->pairs());
  const TextExamples words(config, tokenizer);
  const Example example = words.labelled(text, "good");
  EXPECT_EQ(example.tokens.size(), 2u);  // cut, unlike the clues
  EXPECT_EQ(named(example),
            (std::map<std::string, std::int32_t>{{"the", 2}, {"cat", 2}, {"the cat", 2}}));
  EXPECT_EQ(words.labelled("unheard of", "bad").clues, Ids{0});
  EXPECT_EQ(words.labelled("", "bad").clues, Ids{0});

  config.text.clues.kind = ClueKind::kLetters;
  config.text.letters.buckets = 100;
  count_entries(*tokenizer, config.text);
  EXPECT_EQ(config.text.clues.entries, tokenizer->size() + 100);
  const Example spelled = TextExamples(config, tokenizer).labelled(text, "good");
  EXPECT_EQ(named(spelled), named(example));
  EXPECT_GT(spelled.clues.size(), example.clues.size());
  EXPECT_LT(spelled.clues.back(), config.text.clues.entries);
}

}  // namespace
}  // namespace heed
