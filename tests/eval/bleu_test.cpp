#include "heed/eval/bleu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/eval/error_rate.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

TEST(Bleu, TokensOf13aKeepNumbersAndSetMarksApart) {
  EXPECT_EQ(score_tokens("It's 1,000.50 - \"no\", he said...", ScoreTokens::k13a),
            (Strings{"It's", "1,000.50", "-", "\"", "no", "\"", ",", "he", "said", ".", ".", "."}));
}

TEST(Bleu, ChineseTextIsRecognised) {
  EXPECT_EQ(tokens_for({"一个男人在街上跑步。", "OK"}), ScoreTokens::kChinese);
  EXPECT_EQ(tokens_for({"Ein Mann", "东"}), ScoreTokens::k13a);
  EXPECT_EQ(tokens_for({}), ScoreTokens::k13a);
}

TEST(Bleu, IntervalHoldsTheScoreAndIsNarrowerWithMoreSentences) {
  const auto width = [](int times) {
    Bleu bleu;
    for (int i = 0; i < times; ++i) {
      bleu.add("a man is walking on the street", "a man is walking down the street");
      bleu.add("two dogs play in the snow", "two dogs are playing in the snow");
      bleu.add("a red car", "children play football on the green field");
    }
    const Measure measure = bleu.measure();
    EXPECT_DOUBLE_EQ(measure.value, bleu.score());
    EXPECT_LE(measure.interval.low, measure.value);
    EXPECT_GE(measure.interval.high, measure.value);
    return measure.interval.high - measure.interval.low;
  };
  EXPECT_GT(width(3), width(100));
}

TEST(ErrorRate, CountsTheFewestEdits) {
  EXPECT_EQ(edit_distance(Strings{"k", "i", "t", "t", "e", "n"},
                          Strings{"s", "i", "t", "t", "i", "n", "g"}),
            3);
  EXPECT_EQ(edit_distance(Strings{}, Strings{"a", "b"}), 2);
  ErrorRate words(ErrorRate::Unit::kWords);
  words.add("one two three four", "one too three");
  EXPECT_DOUBLE_EQ(words.rate(), 2.0 / 3.0);
}

TEST(Perplexity, IsTheNumberOfEquallyLikelyTokens) {
  EXPECT_NEAR(perplexity(10.0 * std::log(50.0), 10.0), 50.0, 1e-9);
  EXPECT_EQ(perplexity(0.0, 0.0), 1.0);
}

}  // namespace
}  // namespace heed
