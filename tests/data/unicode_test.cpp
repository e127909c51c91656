#include "heed/data/text/unicode.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/random.h"

namespace heed {
namespace {

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  while (!text.empty()) points.push_back(next_code_point(text));
  return points;
}

std::string encoded(char32_t code_point) {
  std::string text;
  append_code_point(code_point, text);
  return text;
}

bool is_code_point(char32_t c) { return c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF); }

// Bytes of which many are broken UTF-8, many almost right.
std::string random_bytes(Random& random) {
  static const std::vector<std::string> parts{"a",
                                              "Z",
                                              " ",
                                              "é",
                                              "e\u0301",
                                              "ß",
                                              "Σ",
                                              "İ",
                                              "漢",
                                              "ﬁ",
                                              "\xF0\x9F\x98\x80",
                                              "각",
                                              "\u1100",
                                              "\u1161",
                                              "\u11A8",
                                              "\u0323",
                                              "\u0307",
                                              "ｶ",
                                              "ﾞ",
                                              "ㄱ",
                                              "ㅏ",
                                              "\xC3",
                                              "\xE2\x82",
                                              "\xF0\x9F",
                                              "\xED\xA0\x80",
                                              "\xC0\x80",
                                              "\xF5",
                                              "\xFF",
                                              std::string("\0", 1),
                                              "\n",
                                              "ﷺ"};
  std::string text;
  for (std::uint32_t i = random.below(60); i > 0; --i) {
    if (random.below(8) == 0) {
      text += static_cast<char>(random.next());
    } else {
      text += parts[random.below(static_cast<std::uint32_t>(parts.size()))];
    }
  }
  return text;
}

TEST(Unicode, EveryCodePointIsReadAsItWasWritten) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (!is_code_point(c)) continue;
    std::string_view text;
    const std::string bytes = encoded(c);
    text = bytes;
    ASSERT_EQ(next_code_point(text), c);
    ASSERT_TRUE(text.empty());
  }
}

TEST(Unicode, WhatIsNoCodePointIsWrittenAsTheReplacementCharacter) {
  EXPECT_EQ(encoded(0xD800), "\uFFFD");
  EXPECT_EQ(encoded(0x110000), "\uFFFD");
  EXPECT_EQ(encoded(0xFFFFFFFF), "\uFFFD");
}

// The table of the Unicode standard, section 3.9, "U+FFFD substitution of maximal subparts".
TEST(Unicode, BrokenPartsAreReplacedAsTheStandardAdvises) {
  const char32_t r = kReplacementCharacter;
  EXPECT_EQ(code_points("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            (std::vector<char32_t>{r, r, r, r, r, r, r, r, 0x41}));
  EXPECT_EQ(code_points("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            (std::vector<char32_t>{r, r, r, r, r, r, r, r, 0x41}));
  EXPECT_EQ(code_points("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            (std::vector<char32_t>{r, r, r, r, r, 0x41, r, r, 0x42}));
  EXPECT_EQ(code_points("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"),
            (std::vector<char32_t>{r, r, r, r, 0x41}));
}

TEST(Unicode, NormalFormsComposeAndReplaceWhatLooksDifferent) {
  EXPECT_EQ(normalize("Cafe\u0301", UnicodeForm::kNone), "Cafe\u0301");
  EXPECT_EQ(normalize("Cafe\u0301 ﬁ", UnicodeForm::kNfc), "Caf\u00E9 ﬁ");
  EXPECT_EQ(normalize("Cafe\u0301 ﬁ２²", UnicodeForm::kNfkc), "Caf\u00E9 fi22");
  EXPECT_EQ(normalize("\u1100\u1161\u11A8", UnicodeForm::kNfc), "각");
  EXPECT_EQ(normalize("q\u0307\u0323", UnicodeForm::kNfc), "q\u0323\u0307");
  EXPECT_EQ(normalize("ｶﾞ", UnicodeForm::kNfkc), "ガ");
}

TEST(Unicode, LowerCaseIsThatOfTheStandard) {
  EXPECT_EQ(lower("HELLO, World 1"), "hello, world 1");
  EXPECT_EQ(lower("ÄÖÜ STRAẞE Straße ÉCOLE ЖУК ԱՐ Ǆ"), "äöü straße straße école жук ար ǆ");
  EXPECT_EQ(lower("ΟΔΟΣ ΣΑΣ Σ AΣB ΟΔΟ\u0301Σ."), "οδος σας σ aσb οδο\u0301ς.");
  EXPECT_EQ(lower("İI"), "i\u0307i");
  EXPECT_EQ(lower("𐐀漢"), "𐐨漢");
}

TEST(Unicode, WhatIsPreparedStaysAsItIs) {
  std::string once, twice;
  for (const auto form : {UnicodeForm::kNone, UnicodeForm::kNfc, UnicodeForm::kNfkc}) {
    for (char32_t c = 0; c <= 0x323AF; ++c) {  // beyond are only tags and private use
      if (!is_code_point(c)) continue;
      prepare(encoded(c), form, true, once);
      prepare(once, form, true, twice);
      ASSERT_EQ(once, twice) << "U+" << std::hex << static_cast<std::uint32_t>(c);
    }
  }
}

TEST(Unicode, AnyBytesGiveValidTextAndTheAsciiAroundThemDoesNotMatter) {
  Random random(1);
  std::string prepared, again, surrounded;
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random_bytes(random);
    for (const auto form : {UnicodeForm::kNone, UnicodeForm::kNfc, UnicodeForm::kNfkc}) {
      prepare(text, form, false, prepared);
      prepare(prepared, UnicodeForm::kNone, false, again);
      ASSERT_EQ(prepared, again) << "seed 1, round " << round;
      prepare("ab " + text + " cd", form, false, surrounded);
      if (text.empty() || category(code_points(text)[0]) != Category::kMark) {
        ASSERT_EQ(surrounded, "ab " + prepared + " cd") << "seed 1, round " << round;
      }
    }
  }
}

TEST(Unicode, LongTextIsNormalisedLikeShortText) {
  for (const std::string part : {"e\u0301", "각", "\u1100\u1161\u11A8", "ｶﾞ", "漢", "가\u11A8",
                                 "ㄱㅏ", "ㄱㅏㄳ", "\u0915\u093C"}) {
    std::string many, expected;
    for (int i = 0; i < 1000; ++i) {
      many += part;
      expected += normalize(part, UnicodeForm::kNfkc);
    }
    EXPECT_TRUE(normalize(many, UnicodeForm::kNfkc) == expected) << part;
  }
}

TEST(Unicode, AHundredThousandMarksOnOneLetterTakeNoTime) {
  std::string text = "e";
  for (int i = 0; i < 50000; ++i) text += "\u0301\u0323";  // each pair in the wrong order
  const std::string normal = normalize(text, UnicodeForm::kNfc);
  EXPECT_EQ(count_code_points(normal), 100000u);  // e joins one
}

TEST(Unicode, CategoriesAreThoseOfTheStandard) {
  for (const char32_t c : {U'a', U'Z', U'é', U'ß', U'ж', U'漢', U'ʰ'}) {
    EXPECT_EQ(category(c), Category::kLetter) << static_cast<std::uint32_t>(c);
  }
  for (const char32_t c : {U'0', U'9', U'²', U'Ⅷ', U'٣'}) EXPECT_EQ(category(c), Category::kNumber);
  for (const char32_t c : {U'.', U'_', U'-', U'“', U'¿', U'。'}) {
    EXPECT_EQ(category(c), Category::kPunctuation);
  }
  for (const char32_t c : {U'+', U'$', U'€', U'😀', kReplacementCharacter, U'\uE000'}) {
    EXPECT_EQ(category(c), Category::kSymbol);
  }
  for (const char32_t c : {U' ', U'\t', U'\n', U'\r', U'\u00A0', U'\u3000', U'\u2028', U'\u0085'}) {
    EXPECT_EQ(category(c), Category::kSpace);
  }
  EXPECT_EQ(category(0x301), Category::kMark);
  EXPECT_EQ(category(0xFE0F), Category::kMark);
  EXPECT_EQ(category(0x200D), Category::kFormat);
  EXPECT_EQ(category(1), Category::kControl);
  EXPECT_EQ(category(0x110000), Category::kSymbol);
  EXPECT_TRUE(is_ideograph(U'漢'));
  EXPECT_FALSE(is_ideograph(U'か'));
}

}  // namespace
}  // namespace heed
