#include "heed/data/inspect.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed {
namespace {

Record record(const std::string& text, const std::string& label, Index line) {
  Record result = make_record(Text{text}, Label{label});
  result.place = {std::make_shared<const std::string>("x.csv"), line};
  return result;
}

Dataset dataset(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Dataset data;
  for (const auto& [text, label] : pairs) {
    data.records.push_back(record(text, label, data.size() + 2));
  }
  return data;
}

bool has_warning(const std::vector<std::string>& sentences, const std::string& part) {
  return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& sentence) {
    return sentence.find(part) != std::string::npos;
  });
}

TEST(Inspect, CountsClassesLengthsCopiesAndConflicts) {
  const Dataset data = dataset({{"one two", "a"},
                                {" one two ", "a"},  // the same but for spaces around it
                                {"one two", "b"},
                                {"three", "b"},
                                {"three", "b"},
                                {"a longer text of words", "a"},
                                {"", "c"}});
  const Inspection found = inspect(data);
  EXPECT_EQ(found.records, 7);
  ASSERT_EQ(found.classes.size(), 3u);
  EXPECT_EQ(found.classes[0].name, "a");
  EXPECT_EQ(found.classes[0].count, 3);
  EXPECT_EQ(found.classes[2].count, 1);
  EXPECT_EQ(found.repeated, 2);
  EXPECT_EQ(found.copies, 5);
  EXPECT_EQ(found.conflicts, 1);
  EXPECT_EQ(found.conflicting, 3);
  EXPECT_EQ(found.conflict.first.text(), "x.csv:2");
  EXPECT_EQ(found.conflict.second.text(), "x.csv:4");
  EXPECT_EQ(found.words.shortest, 0);
  EXPECT_EQ(found.words.longest, 5);
  EXPECT_EQ(found.words.longest_at.text(), "x.csv:7");
  EXPECT_EQ(found.empty.count, 1);
  EXPECT_EQ(found.empty.first.text(), "x.csv:8");
  const std::vector<std::string> sentences = warnings(found, data);
  EXPECT_TRUE(has_warning(sentences, "single example: 1 (\"c\")"));
  EXPECT_TRUE(has_warning(sentences,
                          "different answers: 1, 3 examples in all; the first is "
                          "x.csv:2 (\"a\") and x.csv:4 (\"b\")"));
  EXPECT_TRUE(has_warning(sentences, "more than once: 2, 5 examples"));
  EXPECT_TRUE(has_warning(sentences, "texts without a word: 1, the first at x.csv:8"));
}

TEST(Inspect, NothingIsSaidOfGoodData) {
  EXPECT_TRUE(warnings(inspect(dataset({{"x", "a"}, {"y", "a"}, {"z", "b"}, {"é", "b"}})),
                       dataset({{"x", "a"}}))
                  .empty());
}

TEST(Inspect, LabelsThatAreNumbersOfRowsAreDoubted) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (int i = 0; i < 30; ++i) {
    pairs.emplace_back("text " + std::to_string(i), std::to_string(i));
  }
  Dataset data = dataset(pairs);
  data.columns.label = "id";
  EXPECT_TRUE(inspect(data).one_class_each());
  EXPECT_TRUE(has_warning(warnings(inspect(data), data), "is \"id\" the label column?"));
  data.records[0].answer = Label{"1"};  // two have the same
  EXPECT_FALSE(inspect(data).one_class_each());
  EXPECT_TRUE(has_warning(warnings(inspect(data), data), "29 different labels on 30 examples"));
}

TEST(Inspect, OddEncodingsAreFound) {
  const Inspection found = inspect(dataset({{"cafÃ©", "a"},
                                            {"itâ€™s", "a"},
                                            {"lost \xEF\xBF\xBD", "b"},
                                            {"bell \x07", "b"},
                                            {"\xEF\xBB\xBFmark", "b"},
                                            {"Ärger, naïve, Ãtopia", "b"}}));
  EXPECT_EQ(found.mojibake.count, 2);
  EXPECT_EQ(found.replaced.count, 1);
  EXPECT_EQ(found.control.count, 1);
  EXPECT_EQ(found.control.first.text(), "x.csv:5");
  EXPECT_EQ(found.invisible.count, 1);
}

TEST(Inspect, LabelsWithAMarkBetweenLookLikeSeveral) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (int i = 0; i < 40; ++i) {
    pairs.emplace_back("text " + std::to_string(i),
                       std::to_string(i % 4) + "|" + std::to_string(i % 7));
  }
  const Dataset data = dataset(pairs);
  EXPECT_TRUE(has_warning(warnings(inspect(data), data), "heed train label"));
}

TEST(Inspect, SharedContentsAreCounted) {
  EXPECT_EQ(shared_contents(dataset({{"a", "x"}, {"b", "x"}}),
                            dataset({{"b ", "x"}, {"c", "x"}, {"a", "y"}})),
            2);
}

// Copies stay on one side, and every class keeps something to learn from.
TEST(Inspect, ASplitKeepsCopiesOnOneSide) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (int i = 0; i < 300; ++i) {
    pairs.emplace_back("text " + std::to_string(i % 100), i % 2 == 0 ? "a" : "b");
  }
  pairs.emplace_back("only", "c");
  pairs.emplace_back("only", "c");
  const Dataset data = dataset(pairs);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Split parts = split(data, 0.1, seed);
    auto [train, dev] = divide(data, parts);
    EXPECT_EQ(train.size() + dev.size(), 302);
    EXPECT_GT(dev.size(), 5) << "seed " << seed;
    EXPECT_EQ(shared_contents(train, dev), 0) << "seed " << seed;
    EXPECT_TRUE(
        std::any_of(train.records.begin(), train.records.end(),
                    [](const Record& one) { return std::get<Label>(one.answer).name == "c"; }))
        << "seed " << seed;
  }
}

// All empty texts on one side would make the other too easy.
TEST(Inspect, ASplitDealsEmptyTextsToBothSides) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (int i = 0; i < 400; ++i) {
    pairs.emplace_back(i % 4 == 0 ? " " : "text " + std::to_string(i), i % 8 < 4 ? "a" : "b");
  }
  const auto [train, dev] = divide(dataset(pairs), split(dataset(pairs), 0.2, 1));
  const auto empty = std::count_if(dev.records.begin(), dev.records.end(), [](const Record& one) {
    return std::get<Text>(one.content).text == " ";
  });
  EXPECT_GT(empty, 5);
  EXPECT_LT(empty, 35);
}

}  // namespace
}  // namespace heed
