#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// How often each word was seen.
class WordCounts {
 public:
  void add(std::string_view word, Index times = 1);

  Index distinct() const { return static_cast<Index>(counts_.size()); }

 private:
  friend class Vocabulary;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view word) const {
      return std::hash<std::string_view>()(word);
    }
  };
  std::unordered_map<std::string, Index, Hash, std::equal_to<>> counts_;
};

// Words and their indices, 0 … size − 1.
//
//   - Index 0 is the unknown word, "<unknown>": every word that is not here.
//   - The others stand by falling count, words of equal count by their bytes: the same words give
//     the same vocabulary, in whatever order they came.
//   - Immutable once made: read by any number of threads.
//
// On disk it is a text file, for each word a line with the word, a tab and its count, in the order
// of the indices. In a word, \\ \t \n \r stand for the backslash and what would break the line.
class Vocabulary {
 public:
  static constexpr std::int32_t kUnknown = 0;
  static constexpr std::string_view kUnknownWord = "<unknown>";

  // Only the unknown word.
  Vocabulary();
  // The most frequent words of `counts` that were seen at least `min_count` times, so many that
  // with the unknown word there are at most `size`. What is left out counts as unknown.
  Vocabulary(const WordCounts& counts, Index size, Index min_count = 1);

  Index size() const { return static_cast<Index>(words_.size()); }
  // The index of a word, kUnknown if it is not here. Allocates nothing.
  std::int32_t find(std::string_view word) const;
  // Appends the index of each of several words: sooner than one after another, since their places
  // in memory are loaded together.
  void find(std::span<const std::string_view> words, std::vector<std::int32_t>& indices) const;
  const std::string& word(std::int32_t index) const;
  Index count(std::int32_t index) const;

  void save(const std::string& path) const;
  // Anything but what save() writes is a FormatError with the file and the line.
  static Vocabulary load(const std::string& path);

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::int32_t index = -1;  // none
  };
  // Where a word with this hash is in slots_, or would be.
  std::size_t place(std::string_view word, std::uint32_t hash) const;
  // Appends a word; false if it is there already.
  bool append(std::string word, Index count);
  void grow();

  std::vector<std::string> words_;
  std::vector<Index> counts_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
};

}  // namespace heed
