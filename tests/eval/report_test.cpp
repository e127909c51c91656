#include "heed/eval/report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "heed/base/display.h"

namespace heed {
namespace {

using Ids = std::vector<std::int32_t>;
using Names = std::vector<std::string>;

TEST(Report, SmallClassification) {
  const Ids ids = {1, 1, 1, 0};
  const Names names = {"日本", "b", "never"};
  EXPECT_EQ(report(score_classes(ids, ids, 3), names),
            "4 examples, 2 classes\n"
            "\n"
            "accuracy        100.00 %   95 % interval 51.01 – 100.00\n"
            "macro F1        100.00 %   95 % interval 51.01 – 100.00\n"
            "weighted F1     100.00 %\n"
            "\n"
            "class  precision   recall       F1  support\n"
            "b         100.00   100.00   100.00        3\n"
            "日本      100.00   100.00   100.00        1\n"
            "\n"
            "confusion matrix: a row for each true class, a column for each predicted one\n"
            "        1 2\n"
            "1  b    3 ·\n"
            "2  日本 · 1\n");
}

TEST(Report, RowsStandByNameWhenAsked) {
  const Ids ids = {1, 1, 0};
  const Names names = {"a", "b"};
  const Classification result = score_classes(ids, ids, 2);
  const auto first = [&](const ReportOptions& options) {
    const std::string text = report(result, names, options);
    return text.find("\na  ") < text.find("\nb  ") ? 'a' : 'b';
  };
  EXPECT_EQ(first({}), 'b');
  EXPECT_EQ(first({.order = ReportOptions::Order::kName}), 'a');
}

TEST(Report, ManyClassesHaveTheirLargestConfusionsToldInPlaceOfAMatrix) {
  Ids truth, predicted;
  Names names;
  for (std::int32_t id = 0; id < 31; ++id) {
    names.push_back("class " + std::to_string(id));
    for (int i = 0; i < 4; ++i) {
      truth.push_back(id);
      predicted.push_back(id == 7 && i > 0 ? 9 : id == 3 && i == 0 ? 4 : id);
    }
  }
  const std::string text = report(score_classes(truth, predicted, 31), names);
  EXPECT_EQ(text.find("confusion matrix"), std::string::npos);
  EXPECT_NE(text.find("\nlargest confusions\n"
                      "      3 of 4 “class 7” were taken for “class 9” (75 %).\n"
                      "      1 of 4 “class 3” was taken for “class 4” (25 %).\n"),
            std::string::npos)
      << text;
}

// All lines of a table are as wide as its head, whatever is in a name.
TEST(Report, TablesStayStraight) {
  const Ids ids = {0, 1, 2, 2};
  const Names names = {"line\nbreak\x1b[31m", std::string(80, 'x'), "日本語"};
  std::istringstream lines(report(score_classes(ids, ids, 3), names));
  std::size_t width = 0;
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("class ")) width = columns(line);
    if (width == 0) continue;
    if (line.empty()) break;
    EXPECT_EQ(columns(line), width) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 4);
}

TEST(Report, Tagging) {
  const Names names = {"O", "B-PER", "I-PER"};
  const std::vector<Ids> truth = {{0, 1, 2, 0}};
  EXPECT_EQ(report(score_tags(TagScheme(names), truth, truth)),
            "1 sentence, 4 tokens\n"
            "\n"
            "token accuracy  100.00 %   95 % interval 20.65 – 100.00\n"
            "span precision  100.00 %\n"
            "span recall     100.00 %\n"
            "span F1         100.00 %   95 % interval 20.65 – 100.00\n"
            "\n"
            "span  precision   recall       F1  support\n"
            "PER      100.00   100.00   100.00        1\n");
}

TEST(Report, PlainTagsHaveNoLinesAboutSpans) {
  const Names names = {"NOUN", "VERB"};
  const std::vector<Ids> truth = {{0, 1}};
  const Tagging result = score_tags(TagScheme(names), truth, truth);
  EXPECT_EQ(report(result).find("span"), std::string::npos);
  const JsonText json;
  write_json(json.root(), result);
  EXPECT_TRUE(
      json.line().starts_with("{\"sentences\":1,\"tokens\":2,"
                              "\"token_accuracy\":{\"value\":1.0,\"interval\":[0.206"))
      << json.line();
}

TEST(Report, JsonHoldsEveryNumber) {
  const Ids truth = {0, 1}, predicted = {0, 0};
  const Names names = {"a \"quoted\"", "b"};
  const JsonText json;
  write_json(json.root(), score_classes(truth, predicted, 2, {.resamples = 1}), names);
  for (const char* part :
       {"\"examples\":2,", "\"accuracy\":{\"value\":0.5,\"interval\":[",
        "{\"name\":\"a \\\"quoted\\\"\",\"precision\":0.5,\"recall\":1.0,\"f1\":0.66666",
        "\"support\":1,\"predicted\":2,\"correct\":1}", "[[1,0],[1,0]]"}) {
    EXPECT_NE(json.line().find(part), std::string::npos) << part << "\nin\n" << json.line();
  }
}

TEST(Report, WrongNumberOfNamesIsAnError) {
  const Ids ids = {0, 1};
  const Names names = {"a"};
  EXPECT_THROW(report(score_classes(ids, ids, 2), names), ShapeError);
  const JsonText json;
  EXPECT_THROW(write_json(json.root(), score_classes(ids, ids, 2), names), ShapeError);
}

}  // namespace
}  // namespace heed
