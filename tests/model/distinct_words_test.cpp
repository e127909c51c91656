#include "heed/model/input/distinct_words.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/random.h"

namespace heed {
namespace {

using Word = std::vector<std::int32_t>;

// The words of a list, taken apart and put together again.
void expect_distinct(const std::vector<Word>& words) {
  Word characters, counts;
  for (const Word& word : words) {
    characters.insert(characters.end(), word.begin(), word.end());
    counts.push_back(static_cast<std::int32_t>(word.size()));
  }
  Arena arena;
  const DistinctWords distinct = distinct_words(arena, characters, counts);
  std::vector<Word> found;
  auto at = distinct.characters.begin();
  for (const std::int32_t count : distinct.counts) {
    found.emplace_back(at, at + count);
    at += count;
  }
  EXPECT_EQ(at, distinct.characters.end());
  EXPECT_EQ(found.size(), std::set<Word>(words.begin(), words.end()).size());
  ASSERT_EQ(distinct.numbers.size(), words.size());
  for (std::size_t row = 0; row < words.size(); ++row) {
    EXPECT_EQ(found.at(static_cast<std::size_t>(distinct.numbers[row])), words[row]) << row;
  }
}

TEST(DistinctWords, EachIsKeptOnce) {
  expect_distinct({{1, 2}, {1}, {1, 2}, {2, 1}, {}, {1}, {}});
  expect_distinct({});
}

TEST(DistinctWords, ManyWordsAreFoundAgain) {
  Random random(7);
  std::vector<Word> words;
  for (int i = 0; i < 3000; ++i) {
    Word word(random.below(5));
    for (std::int32_t& character : word) character = static_cast<std::int32_t>(random.below(6));
    words.push_back(std::move(word));
  }
  expect_distinct(words);
}

}  // namespace
}  // namespace heed
