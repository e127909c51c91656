#include "heed/data/text/fasttext.h"

#include <gtest/gtest.h>

#include "tests/data/records.h"

namespace heed {
namespace {

using test::read_records;
using test::refusal;
using test::shown;
using test::Strings;

TEST(Fasttext, TheLabelStandsBeforeTheText) {
  EXPECT_EQ(shown(read_records("x.txt", "__label__a buy  now\n\n__label__b\tgo\r\n__label__c\n")),
            (Strings{"a|buy  now@1", "b|go@3", "c|@4"}));
  EXPECT_EQ(shown(read_records("x", "plain\n__label__b text\n",
                               {.answers = Answers::kOptional, .format = "fasttext"})),
            (Strings{"|plain@1", "b|text@2"}));
}

TEST(Fasttext, SeveralLabelsNoneOrOneWithoutANameAreRefused) {
  const std::string several =
      "x.txt:2: several labels, expected one; heed train label learns several at once";
  EXPECT_EQ(refusal("x.txt", "__label__a b\n__label__a __label__b c\n"), several);
  EXPECT_EQ(refusal("x.txt", "__label__a b\n__label__a c __label__b\n"), several);
  EXPECT_EQ(refusal("x.txt", "__label__a b\nc d\n"),
            "x.txt:2: \"c d\" begins without a label, expected __label__name text");
  EXPECT_EQ(refusal("x.txt", "__label__ b\n"), "x.txt:1: __label__ without a name behind it");
}

}  // namespace
}  // namespace heed
