#include "heed/data/text/words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/random.h"

namespace heed {
namespace {

using Strings = std::vector<std::string>;

Strings split(std::string_view text) {
  Strings found;
  Words words(text);
  for (std::string_view word; words.next(word);) found.emplace_back(word);
  return found;
}

TEST(Words, WhiteSpaceAndPunctuationPartThem) {
  EXPECT_EQ(split("Hello, world!"), (Strings{"Hello", ",", "world", "!"}));
  EXPECT_EQ(split("  a\tb\r\nc\u00A0d\u3000e  "), (Strings{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(split("(a)[b]--c..."),
            (Strings{"(", "a", ")", "[", "b", "]", "-", "-", "c", ".", ".", "."}));
  EXPECT_EQ(split("a+b=$3€"), (Strings{"a", "+", "b", "=", "$", "3", "€"}));
  EXPECT_EQ(split(""), Strings());
  EXPECT_EQ(split(" \n\x01"), Strings());
}

TEST(Words, WhatBelongsTogetherStaysTogether) {
  for (const std::string word :
       {"don't", "don’t", "l'école", "x86-64", "utf-8", "python3.11", "3.14", "1,000,000",
        "max_size", "a_1", "covid-19", "e\u0301te\u0301"}) {
    EXPECT_EQ(split(word), Strings{word});
    EXPECT_EQ(split("“" + word + "”."), (Strings{"“", word, "”", "."}));
  }
}

TEST(Words, WhatConnectsOnlyOnOneSideStandsAlone) {
  EXPECT_EQ(split("'tis dogs' a-b a.b 1-a 3. .5 _x_"),
            (Strings{"'", "tis", "dogs", "'", "a", "-", "b", "a", ".", "b",
                     "1", "-",   "a",    "3", ".", ".", "5", "_", "x", "_"}));
  EXPECT_EQ(split("7's"), (Strings{"7", "'", "s"}));
  EXPECT_EQ(split("me@example.org"), (Strings{"me", "@", "example", ".", "org"}));
}

TEST(Words, OtherScripts) {
  EXPECT_EQ(split("Привет, мир"), (Strings{"Привет", ",", "мир"}));
  EXPECT_EQ(split("漢字かな。"), (Strings{"漢", "字", "かな", "。"}));
  EXPECT_EQ(split("a漢1"), (Strings{"a", "漢", "1"}));
  EXPECT_EQ(split("हिन्दी"), Strings{"हिन्दी"});
  EXPECT_EQ(split("می\u200Cخواهم"), Strings{"می\u200Cخواهم"});
  EXPECT_EQ(split("❤\uFE0F👍🏽"), (Strings{"❤\uFE0F", "👍", "🏽"}));
  EXPECT_EQ(split("\uFEFFa"), Strings{"a"});
}

TEST(Words, OfAnyBytesNothingVisibleIsLost) {
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::uint32_t i = random.below(20); i > 0; --i) {
      text += random.below(2) ? static_cast<char>(random.next()) : "a1'-_., "[random.below(8)];
    }
    std::string visible, joined;
    for (const char c : text) {
      if (static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x7F) visible += c;
    }
    const Strings words = split(text);
    for (const std::string& word : words) {
      ASSERT_FALSE(word.empty());
      for (const char c : word) {
        if (static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x7F)
          joined += c;
      }
    }
    ASSERT_EQ(joined, visible) << "seed 3, round " << round;
  }
}

}  // namespace
}  // namespace heed
