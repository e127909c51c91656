#include "heed/data/text/word_pairs.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/data/text/words.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace heed {
namespace {

using test::message_of;
using test::TemporaryFolder;
using Strings = std::vector<std::string>;

// The words of some texts and their most frequent pairs.
struct Learned {
  Learned(const Strings& texts, Index size, Index min_count = 1) {
    WordCounts word_counts;
    for (const std::string& text : texts) {
      Words rest(text);
      for (std::string_view word; rest.next(word);) word_counts.add(word);
    }
    words = Vocabulary(word_counts, 100);
    WordPairs::Counts counts;
    for (const std::string& text : texts) {
      const std::vector<std::int32_t> ids = ids_of(text);
      for (std::size_t i = 1; i < ids.size(); ++i) counts.add(ids[i - 1], ids[i]);
    }
    pairs = WordPairs(counts, size, min_count);
  }

  std::vector<std::int32_t> ids_of(const std::string& text) const {
    std::vector<std::int32_t> ids;
    Words rest(text);
    for (std::string_view word; rest.next(word);) ids.push_back(words.find(word));
    return ids;
  }
  Strings pairs_in(const std::string& text) const {
    const std::vector<std::int32_t> ids = ids_of(text);
    Strings found;
    for (std::size_t i = 1; i < ids.size(); ++i) {
      const std::int32_t pair = pairs.find(ids[i - 1], ids[i]);
      if (pair >= 0) found.push_back(pairs.text(pair, words));
    }
    return found;
  }

  Vocabulary words;
  WordPairs pairs;
};

const Strings kTexts{"new york is new", "old new york", "is new old", "york"};

TEST(WordPairs, AreTheMostFrequentNeighbours) {
  const Learned learned(kTexts, 2);
  EXPECT_EQ(learned.pairs.size(), 2);
  EXPECT_EQ(learned.pairs_in("old new york is new, new york"),
            (Strings{"new york", "is new", "new york"}));
  EXPECT_EQ(learned.pairs_in("york new"), Strings());
  EXPECT_EQ(learned.pairs_in("new"), Strings());
  EXPECT_EQ(learned.pairs_in("new what york"), Strings());
}

TEST(WordPairs, RareOnesAndThoseOfUnknownWordsAreNotKept) {
  EXPECT_EQ(Learned(kTexts, 100).pairs.size(), 5);
  EXPECT_EQ(Learned(kTexts, 100, 2).pairs.size(), 2);
  EXPECT_EQ(Learned(kTexts, 0).pairs.size(), 0);
  WordPairs::Counts counts;
  counts.add(Vocabulary::kUnknown, 1);
  counts.add(1, Vocabulary::kUnknown);
  EXPECT_EQ(WordPairs(counts, 100, 1).size(), 0);
}

TEST(WordPairs, AreNumberedByTheirCountAndEqualsByTheirWords) {
  WordPairs::Counts counts;
  for (const auto& [first, second] : {std::pair{2, 1}, {1, 3}, {1, 2}, {3, 3}, {3, 3}}) {
    counts.add(first, second);
  }
  const WordPairs pairs(counts, 100, 1);
  EXPECT_EQ(pairs.find(3, 3), 0);
  EXPECT_EQ(pairs.find(1, 2), 1);
  EXPECT_EQ(pairs.find(1, 3), 2);
  EXPECT_EQ(pairs.find(2, 1), 3);
  EXPECT_EQ(pairs.find(3, 1), -1);
  EXPECT_EQ(pairs.find(-1, 3), -1);
}

TEST(WordPairs, WhatIsSavedIsLoaded) {
  const TemporaryFolder folder;
  const Learned saved(kTexts, 4);
  const std::string path = folder.path("pairs.txt");
  saved.pairs.save(path, saved.words);
  const std::string bytes = read_file(path);
  EXPECT_EQ(bytes.substr(0, bytes.find('\n')), "new york\t2");
  const WordPairs loaded = WordPairs::load(path, saved.words);
  ASSERT_EQ(loaded.size(), saved.pairs.size());
  for (std::int32_t first = 0; first < saved.words.size(); ++first) {
    for (std::int32_t second = 0; second < saved.words.size(); ++second) {
      EXPECT_EQ(loaded.find(first, second), saved.pairs.find(first, second));
    }
  }
  loaded.save(path, saved.words);
  EXPECT_EQ(read_file(path), bytes);
  EXPECT_THROW(loaded.text(4, saved.words), ShapeError);
  EXPECT_THROW(loaded.text(-1, saved.words), ShapeError);
}

TEST(WordPairs, AFileThatIsNotOneIsRefusedWithItsLine) {
  const TemporaryFolder folder;
  const Learned learned(kTexts, 4);
  const std::string path = folder.path("pairs.txt");
  const auto message = [&](const std::string& bytes) {
    write_file(path, bytes);
    return message_of<FormatError>([&] { WordPairs::load(path, learned.words); });
  };
  const std::string shape = path + ":1: expected two words with a space between, a tab and a count";
  EXPECT_EQ(message("new york\n"), shape);
  EXPECT_EQ(message("new\t2\n"), shape);
  EXPECT_EQ(message("new\t2 york\n"), shape);
  EXPECT_EQ(message("new york\t2\nnew old\tx\n"), path + ":2: count “x”, expected a whole number");
  EXPECT_EQ(message("new york\t-2\n"), path + ":1: count “-2”, expected a whole number");
  EXPECT_EQ(message("new jersey\t2\n"),
            path + ":1: “jersey” is not in the vocabulary: one of the two files was changed");
  EXPECT_EQ(message("new york\t2\nnew york\t1\n"), path + ":2: the pair “new york” is there twice");
  EXPECT_EQ(message("new york\t2"), path + ":1: the line has no end: the file was cut short");
  EXPECT_THROW(WordPairs::load(folder.path("missing"), learned.words), IoError);
}

}  // namespace
}  // namespace heed
