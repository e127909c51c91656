#include "heed/eval/multilabel.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/eval/thresholds.h"

namespace heed {
namespace {

// Four texts and three labels. By hand: 6 labels in truth, 6 said, 4 of them right.
std::vector<LabelledExample> four_texts() {
  return {{{0, 1}, {1, 0}, {0, 1, 2}},
          {{2}, {2, 0}, {2, 0, 1}},
          {{}, {}, {1, 0, 2}},
          {{0, 1, 2}, {1, 0}, {1, 2, 0}}};
}

TEST(MultiLabel, CountsPairsOfATextAndALabel) {
  const std::vector<LabelledExample> texts = four_texts();
  const MultiLabel result = score_labels(texts, 3);
  // Label 0: 2 in truth, 3 said, 2 right; 1: 2, 2, 2; 2: 2, 1, 1.
  EXPECT_EQ(result.all.support, 6);
  EXPECT_EQ(result.all.predicted, 6);
  EXPECT_EQ(result.all.correct, 5);
  EXPECT_DOUBLE_EQ(result.micro_f1.value, 10.0 / 12.0);
  EXPECT_DOUBLE_EQ(result.macro_f1.value, (4.0 / 5.0 + 1.0 + 2.0 / 3.0) / 3.0);
  EXPECT_DOUBLE_EQ(result.exact, 0.5);
  EXPECT_DOUBLE_EQ(result.labels_each, 1.5);
  ASSERT_EQ(result.at.size(), 2u);  // there are not five labels
  EXPECT_DOUBLE_EQ(result.at[0].precision, 3.0 / 4.0);
  EXPECT_DOUBLE_EQ(result.at[1].precision, 6.0 / 12.0);
  EXPECT_LE(result.micro_f1.interval.low, result.micro_f1.value);
  EXPECT_GE(result.micro_f1.interval.high, result.micro_f1.value);
  EXPECT_LT(result.micro_f1.interval.low, result.micro_f1.interval.high);
}

TEST(MultiLabel, TheReportAndJsonHaveTheSameNumbers) {
  const std::vector<LabelledExample> texts = four_texts();
  const std::vector<std::string> names = {"bug", "ui", "urgent"};
  const std::vector<float> thresholds = {0.3f, 0.4f, 0.5f};
  const MultiLabel result = score_labels(texts, 3);
  const std::string text = report(result, names, thresholds);
  EXPECT_NE(text.find("4 examples, 3 labels, 1.50 on each"), std::string::npos) << text;
  EXPECT_NE(text.find("micro F1           83.33 %"), std::string::npos) << text;
  EXPECT_NE(text.find("precision at 3     50.00 %"), std::string::npos) << text;
  const JsonText json;
  write_json(json.root(), result, names, thresholds);
  const auto parsed = nlohmann::json::parse(json.line());
  EXPECT_DOUBLE_EQ(parsed["micro_f1"]["value"].get<double>(), 10.0 / 12.0);
  EXPECT_DOUBLE_EQ(parsed["precision_at_1"].get<double>(), 0.75);
  EXPECT_EQ(parsed["labels"][2]["name"], "urgent");
  EXPECT_EQ(parsed["labels"][2]["threshold"].get<float>(), 0.5f);
}

TEST(MultiLabel, LabelsThatDoNotExistAreRefused) {
  const std::vector<LabelledExample> texts = {{{0}, {3}, {}}};
  EXPECT_THROW(score_labels(texts, 3), ShapeError);
  EXPECT_THROW(score_labels(std::vector<LabelledExample>(), 3), UsageError);
}

// A text with one label of two.
ScoredLabels text_with(std::int32_t label, float probability, bool right) {
  ScoredLabels text;
  text.labels = {{label, probability, right}};
  if (right) text.truth = {label};
  return text;
}

TEST(Thresholds, OneForAllHasTheBestMicroF1) {
  // Right from 0.3 on, wrong below.
  std::vector<ScoredLabels> texts;
  for (const float p : {0.9f, 0.6f, 0.3f}) texts.push_back(text_with(0, p, true));
  for (const float p : {0.2f, 0.1f}) texts.push_back(text_with(0, p, false));
  const std::vector<float> thresholds = choose_thresholds(texts, 2);
  EXPECT_FLOAT_EQ(thresholds[0], 0.25f);
  EXPECT_FLOAT_EQ(thresholds[1], 0.25f);  // no text says anything of it
  EXPECT_DOUBLE_EQ(micro_f1(texts, thresholds), 1.0);
}

TEST(Thresholds, LabelsThatDifferGetTheirOwn) {
  // One label is right from 0.2 on, the other from 0.8 on.
  std::vector<ScoredLabels> texts;
  for (int i = 0; i < 60; ++i) {
    const float step = 0.001f * static_cast<float>(i);
    texts.push_back(text_with(0, 0.25f + step, true));
    texts.push_back(text_with(0, 0.05f + step, false));
    texts.push_back(text_with(1, 0.85f + step, true));
    texts.push_back(text_with(1, 0.65f + step, false));
  }
  const std::vector<float> thresholds = choose_thresholds(texts, 2);
  EXPECT_GT(thresholds[0], 0.1f);
  EXPECT_LT(thresholds[0], 0.25f);
  EXPECT_GT(thresholds[1], 0.7f);
  EXPECT_LT(thresholds[1], 0.85f);
  EXPECT_DOUBLE_EQ(micro_f1(texts, thresholds), 1.0);
  const std::vector<float> one = choose_thresholds(texts, 2, Thresholds::kOneForAll);
  EXPECT_EQ(one[0], one[1]);
  EXPECT_LT(micro_f1(texts, one), 1.0);
}

// Labels in truth that were not thought likely at all count as missed.
TEST(Thresholds, MissedLabelsCount) {
  std::vector<ScoredLabels> texts = {text_with(0, 0.9f, true)};
  texts[0].truth.push_back(1);
  EXPECT_DOUBLE_EQ(micro_f1(texts, std::vector<float>{0.5f, 0.5f}), 2.0 / 3.0);
}

}  // namespace
}  // namespace heed
