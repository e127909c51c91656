#include "heed/data/text/split_words.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/data/records.h"

namespace heed {
namespace {

using test::Strings;

Strings words(const std::string& text, const std::set<std::string>& known = {}) {
  const Sentence sentence = split_words(
      text, known.empty() ? KnowsWord() : [&](std::string_view word) {
        return known.contains(std::string(word));
      });
  EXPECT_EQ(sentence.words.size(), sentence.source->begins.size());
  for (std::size_t i = 0; i < sentence.words.size(); ++i) {
    const auto begin = static_cast<std::size_t>(sentence.source->begins[i]);
    EXPECT_EQ(sentence.source->text.substr(begin, sentence.words[i].size()), sentence.words[i]);
  }
  return sentence.words;
}

TEST(SplitWords, MarksAtTheEndsOfWordsStandApart) {
  EXPECT_EQ(words("Ada met Bob in Berlin, (not Bonn)."),
            (Strings{"Ada", "met", "Bob", "in", "Berlin", ",", "(", "not", "Bonn", ")", "."}));
  EXPECT_EQ(words("“Nein!”, sagte Jörg…"),
            (Strings{"“", "Nein", "!", "”", ",", "sagte", "Jörg", "…"}));
  EXPECT_EQ(words("wait... what?!"), (Strings{"wait", "...", "what", "?", "!"}));
  EXPECT_EQ(words(" \t"), Strings());
}

TEST(SplitWords, SomeMarksStayInsideWords) {
  EXPECT_EQ(words("a well-known AT&T e-mail: a.b@c.org, 3.5% of 1,000"),
            (Strings{"a", "well-known", "AT&T", "e-mail", ":", "a.b@c.org", ",", "3.5", "%", "of",
                     "1,000"}));
  EXPECT_EQ(words("see http://a.org/?b=c, at 12:30 in the U.S. now"),
            (Strings{"see", "http://a.org/?b=c", ",", "at", "12:30", "in", "the", "U.S.", "now"}));
  EXPECT_EQ(words("-5 $5 #tag @ann a--b a,b"),
            (Strings{"-5", "$", "5", "#tag", "@ann", "a", "--", "b", "a", ",", "b"}));
}

TEST(SplitWords, EveryScriptHasWords) {
  EXPECT_EQ(words("我在北京。"), (Strings{"我", "在", "北", "京", "。"}));
  EXPECT_EQ(words("Привет, мир! हिन्दी में"), (Strings{"Привет", ",", "мир", "!", "हिन्दी", "में"}));
  EXPECT_EQ(words("gut👍🏽 so"), (Strings{"gut", "👍", "🏽", "so"}));
}

TEST(SplitWords, TheTrainingDataSaysWhatItsWordsAre) {
  EXPECT_EQ(words("Mr. Ray doesn't see Ann's", {}),
            (Strings{"Mr", ".", "Ray", "doesn't", "see", "Ann's"}));
  EXPECT_EQ(words("Mr. Ray doesn't see Ann's", {"Mr.", "n't", "'s"}),
            (Strings{"Mr.", "Ray", "does", "n't", "see", "Ann", "'s"}));
  EXPECT_EQ(words("he didn't say so", {"didn't", "n't"}), (Strings{"he", "didn't", "say", "so"}));
  EXPECT_EQ(words("de l'eau", {"l'"}), (Strings{"de", "l'", "eau"}));
  EXPECT_EQ(words("a well-known one", {"well", "known", "-"}),
            (Strings{"a", "well", "-", "known", "one"}));
}

TEST(SplitWords, AtSpacesNothingElseIsSplit) {
  EXPECT_EQ(split_at_spaces(" Berlin, 3\tx ").words, (Strings{"Berlin,", "3", "x"}));
}

TEST(SplitWords, LongLinesComeInPartsThatKeepTheirPlace) {
  std::string line;
  for (int i = 0; i < 20000; ++i) line += i % 10 == 9 ? "ödet. " : "wort ";
  const auto parts = test::read_tagged("x.txt", line + "\nend\n",
                                       {.answers = Answers::kOptional, .format = "lines"});
  ASSERT_GT(parts.size(), 3u);
  Index count = 0, characters = 0;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto& sentence = std::get<Sentence>(parts[i].content);
    EXPECT_EQ(parts[i].extras->continues, i + 2 < parts.size());
    EXPECT_EQ(parts[i].place.line, 1);
    EXPECT_EQ(sentence.source->skipped, characters);
    EXPECT_LE(sentence.source->text.size(), 16384u);
    EXPECT_TRUE(!parts[i].extras->continues || sentence.source->text.ends_with("ödet."));
    count += std::ssize(sentence.words);
    characters += static_cast<Index>(sentence.source->text.size()) -
                  std::count(sentence.source->text.begin(), sentence.source->text.end(), '\xC3');
  }
  EXPECT_EQ(count, 22000);
  EXPECT_EQ(parts.back().place.line, 2);
}

}  // namespace
}  // namespace heed
