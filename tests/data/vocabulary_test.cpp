#include "heed/data/text/vocabulary.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/random.h"

namespace heed {
namespace {

std::string path() { return testing::TempDir() + "heed_vocabulary_test.txt"; }

std::vector<std::string> words_of(const Vocabulary& vocabulary) {
  std::vector<std::string> words;
  for (std::int32_t i = 0; i < vocabulary.size(); ++i) words.push_back(vocabulary.word(i));
  return words;
}

WordCounts counts_of(const std::vector<std::string>& words) {
  WordCounts counts;
  for (const std::string& word : words) counts.add(word);
  return counts;
}

TEST(Vocabulary, FrequentWordsComeFirstAndEqualsByTheirBytes) {
  const WordCounts counts = counts_of({"b", "c", "a", "b", "d", "c", "", "é"});
  EXPECT_EQ(words_of(Vocabulary(counts, 100)),
            (std::vector<std::string>{"<unknown>", "b", "c", "a", "d", "é"}));
  const Vocabulary frequent(counts, 100, 2);
  EXPECT_EQ(words_of(frequent), (std::vector<std::string>{"<unknown>", "b", "c"}));
  EXPECT_EQ(frequent.count(1), 2);
  EXPECT_EQ(frequent.count(0), 3) << "a, d, é are unknown";
  EXPECT_EQ(words_of(Vocabulary(counts, 3)), (std::vector<std::string>{"<unknown>", "b", "c"}));
  EXPECT_EQ(Vocabulary(counts, 1).size(), 1);
  EXPECT_THROW(Vocabulary(counts, 0), UsageError);
}

TEST(Vocabulary, SeveralWordsAreFoundAsOneByOne) {
  WordCounts counts;
  for (int i = 0; i < 1000; ++i) counts.add("word" + std::to_string(i));
  const Vocabulary vocabulary(counts, 500);
  std::vector<std::string> text;
  for (int i = 0; i < 100; ++i) text.push_back("word" + std::to_string(37 * i % 1100));
  const std::vector<std::string_view> words(text.begin(), text.end());
  std::vector<std::int32_t> expected = {-1}, found = {-1};  // what is there stays
  for (const std::string_view word : words) expected.push_back(vocabulary.find(word));
  vocabulary.find(words, found);
  EXPECT_EQ(found, expected);
}

TEST(Vocabulary, EveryWordIsFoundWhereItIsAndNoOther) {
  WordCounts counts;
  Random random(2);
  for (int i = 0; i < 50000; ++i) counts.add(std::to_string(random.below(20000)));
  const Vocabulary vocabulary(counts, 1 << 30);
  EXPECT_EQ(vocabulary.size(), counts.distinct() + 1);
  for (std::int32_t i = 0; i < vocabulary.size(); ++i) {
    ASSERT_EQ(vocabulary.find(vocabulary.word(i)), i);
    ASSERT_EQ(vocabulary.find("x" + vocabulary.word(i)), Vocabulary::kUnknown);
  }
  EXPECT_EQ(vocabulary.find(""), Vocabulary::kUnknown);
  EXPECT_EQ(Vocabulary().find("word"), Vocabulary::kUnknown);
}

TEST(Vocabulary, ASeenUnknownWordIsTheUnknownWord) {
  const Vocabulary vocabulary(counts_of({"<unknown>", "a"}), 10);
  EXPECT_EQ(words_of(vocabulary), (std::vector<std::string>{"<unknown>", "a"}));
  EXPECT_EQ(vocabulary.count(0), 1);
}

TEST(Vocabulary, WhatIsSavedIsLoaded) {
  const Vocabulary saved(counts_of({"a", "a", "tab\there", "\n", "\r\n", "back\\slash", "\\t", " ",
                                    "漢", "#", std::string("\0x", 2)}),
                         100);
  saved.save(path());
  const Vocabulary loaded = Vocabulary::load(path());
  ASSERT_EQ(words_of(loaded), words_of(saved));
  for (std::int32_t i = 0; i < saved.size(); ++i) {
    EXPECT_EQ(loaded.count(i), saved.count(i));
    EXPECT_EQ(loaded.find(saved.word(i)), i);
  }
  const std::string bytes = read_file(path());
  loaded.save(path());
  EXPECT_EQ(read_file(path()), bytes);
  std::filesystem::remove(path());
}

TEST(Vocabulary, AFileThatIsNotOneIsRefusedWithItsLine) {
  const auto message = [](const std::string& bytes) -> std::string {
    write_file(path(), bytes);
    try {
      Vocabulary::load(path());
    } catch (const FormatError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const std::string start = path() + ":";
  EXPECT_EQ(message(""), path() + ": empty, expected a word in each line");
  EXPECT_EQ(message("a\t1\n"), start + "1: the first word is “a”, expected <unknown>");
  EXPECT_EQ(message("<unknown>\t0\na\n"), start + "2: no tab, expected a word, a tab and a count");
  EXPECT_EQ(message("<unknown>\t0\na\tb\n"), start + "2: count “b”, expected a whole number");
  EXPECT_EQ(message("<unknown>\t0\na\t1\t2\n"), start + "2: count “1\t2”, expected a whole number");
  EXPECT_EQ(message("<unknown>\t0\na\t-1\n"), start + "2: count “-1”, expected a whole number");
  EXPECT_EQ(message("<unknown>\t0\na\t99999999999999999999\n"),
            start + "2: count “99999999999999999999”, expected a whole number");
  EXPECT_EQ(message("<unknown>\t0\n\t1\n"), start + "2: an empty word");
  EXPECT_EQ(message("<unknown>\t0\n\\x\t1\n"),
            start + "2: a lone backslash, expected \\\\ \\t \\n or \\r");
  EXPECT_EQ(message("<unknown>\t0\na\t2\nb\t1\na\t1\n"),
            start + "4: the word “a” is there twice, first in line 2");
  EXPECT_EQ(message("<unknown>\t0\na\t2"),
            start + "2: the line has no end: the file was cut short");
  std::filesystem::remove(path());
  EXPECT_THROW(Vocabulary::load(path()), IoError);
}

TEST(Vocabulary, AnIndexOutsideIsRefused) {
  EXPECT_THROW(Vocabulary().word(1), ShapeError);
  EXPECT_THROW(Vocabulary().word(-1), ShapeError);
  EXPECT_THROW(Vocabulary().count(1), ShapeError);
}

}  // namespace
}  // namespace heed
