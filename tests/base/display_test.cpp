#include "heed/base/display.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Display, CountsColumnsNotBytes) {
  EXPECT_EQ(columns(""), 0u);
  EXPECT_EQ(columns("abc"), 3u);
  EXPECT_EQ(columns("äöü – …"), 7u);
  EXPECT_EQ(columns("日本"), 4u);
  EXPECT_EQ(columns("e\xCC\x81"), 1u);  // e and a combining acute
  EXPECT_EQ(columns("\x1b[31m"), 5u);
}

TEST(Display, ControlCharactersAndBrokenBytesCannotReachTheTerminal) {
  EXPECT_EQ(printable("a\n\x1b[1mb\x7f"), "a��[1mb�");
  EXPECT_EQ(printable("\xFF\xC3"), "��");
  EXPECT_EQ(printable("\xC0\xAF"), "��");       // overlong
  EXPECT_EQ(printable("\xED\xA0\x80"), "���");  // a surrogate
  EXPECT_EQ(printable("\xE2\x80\xAE"
                      "abc"),
            "�abc");  // turns the direction around
  EXPECT_EQ(printable("😀 ж 日"), "😀 ж 日");
  for (const char* text : {"a\n\x1b[1mb\x7f", "\xFF\xC3", "日\t本"}) {
    EXPECT_EQ(columns(text), columns(printable(text)));
  }
}

TEST(Display, ShortensToTheLimitAndNeverInsideACharacter) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdef", 5), "abcd…");
  EXPECT_EQ(shorten("日本語", 5), "日本…");
  EXPECT_EQ(shorten("日本語", 4), "日…");
  EXPECT_EQ(shorten("abc", 1), "…");
  EXPECT_EQ(shorten("abc", 0), "");
}

TEST(Display, PadsToColumns) {
  EXPECT_EQ(pad_right("日", 4), "日  ");
  EXPECT_EQ(pad_left("é", 3), "  é");
  EXPECT_EQ(pad_left("long", 2), "long");
}

TEST(Display, CommasStandEveryThreeDigits) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1000), "1,000");
  EXPECT_EQ(with_commas(-1234567), "-1,234,567");
  EXPECT_EQ(with_commas(-100), "-100");
}

}  // namespace
}  // namespace heed
