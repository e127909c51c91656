#include "heed/data/utf8.h"

#include <gtest/gtest.h>

#include "heed/base/random.h"

namespace heed {
namespace {

std::string repaired(std::string text) {
  repair_utf8(text);
  return text;
}

TEST(Utf8, WellFormedTextIsValidAndLeftAlone) {
  for (const std::string text :
       {"", "plain ascii, longer than eight bytes", "Grüße", "日本語", "\U0001F600 und \u00e9",
        "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF", "\xF0\x90\x80\x80"}) {
    EXPECT_TRUE(valid_utf8(text)) << text;
    std::string copy = text;
    EXPECT_FALSE(repair_utf8(copy));
    EXPECT_EQ(copy, text);
  }
}

TEST(Utf8, OverlongFormsSurrogatesAndCutSequencesAreNotValid) {
  for (const std::string text :
       {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "abcdefgh\xC3"}) {
    EXPECT_FALSE(valid_utf8(text));
    EXPECT_TRUE(valid_utf8(repaired(text)));
  }
}

TEST(Utf8, Latin1AndWindows1252BecomeTheCharactersTheyMeant) {
  EXPECT_EQ(repaired("caf\xE9"), "café");
  EXPECT_EQ(repaired("\x93quoted\x94 \x80 5"), "“quoted” € 5");
  EXPECT_EQ(repaired("na\xEFve \xFF"), "naïve ÿ");
  EXPECT_EQ(repaired("no meaning: \x81"), "no meaning: \uFFFD");
}

TEST(Utf8, DamageInUtf8IsMarkedAndTheRestKept) {
  EXPECT_EQ(repaired("Grüße, schöne Gr\xC3"), "Grüße, schöne Gr\uFFFD");
  EXPECT_EQ(repaired("日本\xE6\x97 語"), "日本\uFFFD 語");
}

TEST(Utf8, WhateverTheBytesTheRepairIsValid) {
  Random random(7);
  for (int round = 0; round < 20000; ++round) {
    std::string text(random.below(12), ' ');
    for (char& c : text) c = static_cast<char>(random.below(256));
    const bool valid = valid_utf8(text);
    std::string copy = text;
    EXPECT_NE(repair_utf8(copy), valid);
    ASSERT_TRUE(valid_utf8(copy)) << "seed 7, round " << round;
  }
}

TEST(Utf8, ShorteningNeverCutsACharacter) {
  EXPECT_EQ(shortened("short", 40), "short");
  EXPECT_EQ(shortened("äöü", 3), "ä…");
  EXPECT_EQ(shortened("äöü", 4), "äö…");
}

}  // namespace
}  // namespace heed
