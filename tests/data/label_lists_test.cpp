#include <gtest/gtest.h>

#include "heed/data/dataset.h"
#include "heed/data/open.h"
#include "heed/data/text/columns.h"
#include "tests/data/records.h"
#include "tests/support/temporary_folder.h"

// Several labels for a text, in every format that has them.
namespace heed {
namespace {

using test::read_records;
using test::refusal;
using test::Strings;

constexpr AnswerKind kLabels = AnswerKind::kLabels;

// "text: a+b" of each record.
Strings listed_records(const std::vector<Record>& records) {
  Strings lines;
  for (const Record& record : records) {
    std::string line = std::get<Text>(record.content).text + ":";
    for (const std::string& name : std::get<Labels>(record.answer).names) line += " " + name;
    lines.push_back(line);
  }
  return lines;
}

TEST(LabelLists, FasttextLinesHaveAnyNumberAnywhere) {
  EXPECT_EQ(listed_records(read_records(
                "x.ft",
                "__label__a __label__b buy now\nno label\ngo __label__c on\n__label__a\n"
                "__label__a __label__a twice\n",
                {.answer = kLabels})),
            (Strings{"buy now: a b", "no label:", "go on: c", ": a", "twice: a"}));
}

TEST(LabelLists, JsonHasLists) {
  EXPECT_EQ(listed_records(read_records("x.jsonl",
                                        R"({"text": "x", "labels": ["a", "b", "a"]})"
                                        "\n"
                                        R"({"text": "y", "labels": []})"
                                        "\n"
                                        R"({"text": "z", "labels": "a;b"})"
                                        "\n"
                                        R"({"text": "n", "labels": null})"
                                        "\n"
                                        R"({"text": "m", "labels": [1, true]})",
                                        {.answer = kLabels})),
            (Strings{"x: a b", "y:", "z: a;b", "n:", "m: 1 true"}));
  EXPECT_EQ(refusal("x.jsonl", R"({"text": "x", "labels": [["a"]]})", {.answer = kLabels}),
            "x.jsonl:1: \"labels\" is an array, expected a string, a number or true or false; heed "
            "train label learns several labels at once");
}

TEST(LabelLists, TablesHaveASeparator) {
  const std::string csv = "text,labels\nx,a; b\ny,\nz,a\n";
  EXPECT_EQ(listed_records(
                read_records("x.csv", csv, {.answer = kLabels, .label_separator = "semicolon"})),
            (Strings{"x: a b", "y:", "z: a"}));
  EXPECT_EQ(
      listed_records(read_records("x.csv", csv, {.answer = kLabels, .label_separator = "none"})),
      (Strings{"x: a; b", "y:", "z: a"}));
}

TEST(LabelLists, TheSeparatorIsFoundOutAndRemembered) {
  const test::TemporaryFolder folder;
  for (const char* mark : {"|", ";", ","}) {
    const std::string path = folder.write(
        "x.csv", std::string("text,labels\nx,a\ny,\"a") + mark + "b\"\nz,\"b" + mark + "c\"\n");
    const auto source = open_records(path, {.answer = kLabels});
    std::vector<Record> records;
    for (Record record; source->next(record);) records.push_back(record);
    EXPECT_EQ(listed_records(records), (Strings{"x: a", "y: a b", "z: b c"})) << mark;
    EXPECT_EQ(source->columns().separator, mark);
    EXPECT_EQ(source->columns().label, "labels");
  }
}

// Of several labels the rarest says where a text belongs, so that it can be learned.
TEST(LabelLists, ASplitKeepsRareLabelsOnBothSides) {
  Dataset data;
  for (int i = 0; i < 200; ++i) {
    Labels labels{{"common"}};
    if (i % 100 == 0) labels.names.push_back("rare");
    data.records.push_back(make_record(Text{std::to_string(i)}, labels));
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Split parts = split(data, 0.1, seed);
    EXPECT_EQ(std::count_if(parts.held_out.begin(), parts.held_out.end(),
                            [](Index i) { return i % 100 == 0; }),
              1)
        << "seed " << seed;
  }
}

TEST(LabelLists, WhoAsksForOneLabelIsToldHowToLearnSeveral) {
  EXPECT_EQ(refusal("x.jsonl", R"({"text": "x", "label": ["a"]})"),
            "x.jsonl:1: \"label\" is an array, expected a string, a number or true or false; heed "
            "train label learns several labels at once");
}

}  // namespace
}  // namespace heed
