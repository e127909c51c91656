#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/base/json.h"
#include "heed/eval/bleu.h"
#include "heed/eval/error_rate.h"

namespace heed {
namespace {

struct ScoredTexts {
  std::string name;
  ScoreTokens tokens = ScoreTokens::k13a;
  std::vector<std::string> hypotheses, references;
  Json json;
};

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> result;
  for (const Json& item : list.list()) result.push_back(item.text());
  return result;
}

// What sacreBLEU, jiwer and rouge-score computed: tests/golden/write_scores.py.
std::vector<ScoredTexts> cases() {
  const std::string path = HEED_SOURCE_DIR "/tests/golden/sacrebleu.json";
  std::vector<ScoredTexts> result;
  for (const Json& json : Json::parse(read_file(path), path).list()) {
    const std::string tokens = json["tokens"].text();
    result.push_back({json["name"].text(),
                      tokens == "zh"     ? ScoreTokens::kChinese
                      : tokens == "char" ? ScoreTokens::kCharacters
                                         : ScoreTokens::k13a,
                      texts(json["hypotheses"]), texts(json["references"]), json});
  }
  return result;
}

template <class Score>
void add_all(const ScoredTexts& one, Score& score) {
  for (std::size_t i = 0; i < one.hypotheses.size(); ++i) {
    score.add(one.hypotheses[i], one.references[i]);
  }
}

TEST(GoldenScores, BleuIsThatOfSacrebleu) {
  ASSERT_GE(cases().size(), 20u);
  for (const ScoredTexts& one : cases()) {
    Bleu bleu(one.tokens);
    add_all(one, bleu);
    EXPECT_NEAR(bleu.score(), one.json["bleu"].number(), 1e-6) << one.name;
    EXPECT_EQ(bleu.signature(), one.json["bleu_signature"].text()) << one.name;
  }
}

TEST(GoldenScores, ChrfIsThatOfSacrebleu) {
  for (const ScoredTexts& one : cases()) {
    Chrf chrf;
    add_all(one, chrf);
    EXPECT_NEAR(chrf.score(), one.json["chrf"].number(), 1e-6) << one.name;
    EXPECT_EQ(Chrf::signature(), one.json["chrf_signature"].text()) << one.name;
  }
}

TEST(GoldenScores, ErrorRatesAreThoseOfJiwer) {
  int compared = 0;
  for (const ScoredTexts& one : cases()) {
    if (!one.json.has("wer")) continue;
    ErrorRate words(ErrorRate::Unit::kWords), characters(ErrorRate::Unit::kCharacters);
    add_all(one, words);
    add_all(one, characters);
    EXPECT_NEAR(words.rate(), one.json["wer"].number(), 1e-9) << one.name;
    EXPECT_NEAR(characters.rate(), one.json["cer"].number(), 1e-9) << one.name;
    ++compared;
  }
  EXPECT_GE(compared, 15);
}

TEST(GoldenScores, RougeIsThatOfRougeScore) {
  int compared = 0;
  for (const ScoredTexts& one : cases()) {
    if (!one.json.has("rouge1")) continue;
    Rouge rouge;
    add_all(one, rouge);
    EXPECT_NEAR(rouge.rouge1(), one.json["rouge1"].number(), 1e-9) << one.name;
    EXPECT_NEAR(rouge.rouge2(), one.json["rouge2"].number(), 1e-9) << one.name;
    EXPECT_NEAR(rouge.rouge_l(), one.json["rougeL"].number(), 1e-9) << one.name;
    ++compared;
  }
  EXPECT_GE(compared, 10);
}

}  // namespace
}  // namespace heed
