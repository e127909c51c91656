#include "heed/data/text/jsonl.h"

#include <gtest/gtest.h>

#include "tests/data/records.h"

namespace heed {
namespace {

using test::read_records;
using test::refusal;
using test::shown;
using test::Strings;

TEST(Jsonl, KeysAreColumnsAndLabelsMayBeStringsNumbersOrBooleans) {
  EXPECT_EQ(shown(read_records("x.jsonl",
                               "{\"text\": \"a\\nb\", \"label\": \"x\", \"other\": [1, {}]}\n"
                               "\r\n"
                               "{\"label\": 3, \"text\": \"\\u00e9\"}\r\n"
                               "{\"label\": true, \"text\": \"\"}\n"
                               "{\"label\": -0.5, \"text\": \"t\"}")),
            (Strings{"x|a\nb@1", "3|é@3", "true|@4", "-0.5|t@5"}));
  EXPECT_EQ(shown(read_records("x.jsonl", "{\"a\": \"1\", \"b\": \"2\", \"text\": \"3\"}\n",
                               {.text_column = "b", .label_column = "a"})),
            (Strings{"1|2@1"}));
  EXPECT_EQ(shown(read_records("x.jsonl", "{\"\": \"unnamed\", \"text\": \"t\"}\n")),
            (Strings{"unnamed|t@1"}));
}

TEST(Jsonl, WhereLabelsAreOptionalTheyMayBeMissing) {
  const ReadOptions optional{.answers = Answers::kOptional};
  EXPECT_EQ(shown(read_records("x.jsonl",
                               "{\"text\": \"a\", \"label\": null}\n{\"text\": \"b\"}\n"
                               "{\"text\": \"c\", \"label\": 1}\n{\"text\": \"d\", \"label\": []}\n"
                               "{\"text\": \"e\", \"label\": \" \"}\n"
                               "{\"text\": \"f\", \"label\": \" y \"}\n",
                               optional)),
            (Strings{"|a@1", "|b@2", "1|c@3", "|d@4", "|e@5", "y|f@6"}));
}

TEST(Jsonl, MistakesNameTheKeyAndTheLine) {
  const std::string good = "{\"text\": \"a\", \"label\": \"x\"}\n";
  EXPECT_EQ(refusal("x.jsonl", good + "{\"text\": 1, \"label\": \"x\"}\n"),
            "x.jsonl:2: \"text\" is a number, expected a string");
  EXPECT_EQ(
      refusal("x.jsonl", good + "{\"text\": \"a\", \"label\": []}\n"),
      "x.jsonl:2: \"label\" is an array, expected a string, a number or true or false; heed train "
      "label learns several labels at once");
  EXPECT_EQ(refusal("x.jsonl", good + "{\"text\": \"a\", \"label\": null}\n"),
            "x.jsonl:2: \"label\" is a null, expected a string, a number or true or false");
  EXPECT_EQ(refusal("x.jsonl", good + "{\"text\": \"a\", \"label\": \" \"}\n"),
            "x.jsonl:2: \"label\" is empty, expected a label");
  EXPECT_EQ(refusal("x.jsonl", good + "{\"body\": \"a\", \"label\": \"x\"}\n"),
            "x.jsonl:2: no key \"text\"; the keys are body,label");
  EXPECT_EQ(refusal("x.jsonl", good, {.label_column = "kind"}),
            "x.jsonl:1: no key \"kind\"; the keys are label,text");
  EXPECT_EQ(refusal("x.jsonl", "{\"text\": \"a\", \"p\": 1, \"q\": 2}\n"),
            "x.jsonl:1: cannot tell which key is the label; the keys are p,q,text: choose with "
            "--label-column");
  EXPECT_EQ(refusal("x.jsonl", good + good + "{\"text\": \"a\n"),
            "x.jsonl:3: not JSON at column 12: \"{\"text\": \"a\"; expected one object per line");
  EXPECT_EQ(refusal("x.jsonl", good + "3\n"),
            "x.jsonl:2: number, expected an object {…} on each line");
  EXPECT_NE(refusal("x.json", "[{\"text\": \"a\"}]\n").find("x.json:1: a JSON array"),
            std::string::npos);
}

TEST(Jsonl, DeepNestingIsNoDanger) {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_EQ(
      shown(read_records("x.jsonl", "{\"text\": \"a\", \"label\": \"x\", \"z\": " + deep + "}\n")),
      (Strings{"x|a@1"}));
}

TEST(Jsonl, AGroupIsATextOrANumberOrMissingInPlace) {
  const ReadOptions options{.group_column = "day"};
  const auto records = read_records("x.jsonl",
                                    "{\"text\": \"a\", \"label\": \"b\", \"day\": 7}\n"
                                    "{\"text\": \"a\", \"label\": \"b\", \"day\": \"7\"}\n"
                                    "{\"text\": \"a\", \"label\": \"b\", \"day\": null}\n",
                                    options);
  EXPECT_EQ(records[0].extras->group, "7");
  EXPECT_EQ(records[1].extras->group, "7");
  EXPECT_EQ(records[2].extras->group, "");
  EXPECT_EQ(refusal("x.jsonl", "{\"text\": \"a\", \"label\": \"b\"}\n", options),
            "x.jsonl:1: no key \"day\"; the keys are label,text");
  EXPECT_EQ(refusal("x.jsonl",
                    "{\"text\": \"a\", \"label\": \"b\", \"day\": 1}\n"
                    "{\"text\": \"a\", \"label\": \"b\"}\n",
                    options),
            "x.jsonl:2: no key \"day\"; the keys are label,text");
}

}  // namespace
}  // namespace heed
