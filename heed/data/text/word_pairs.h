#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heed/data/text/vocabulary.h"

namespace heed {

// Frequent pairs of neighbouring words of a vocabulary, numbered 0 … size − 1 by falling count,
// equals by the words' indices. Immutable once made.
//
// On disk it is a text file, for each pair a line: the two words with a space between, a tab, the
// count.
class WordPairs {
 public:
  // How often each pair of known words was seen.
  class Counts {
   public:
    void add(std::int32_t first, std::int32_t second) {
      if (first != Vocabulary::kUnknown && second != Vocabulary::kUnknown) {
        ++counts_[key(first, second)];
      }
    }

   private:
    friend class WordPairs;
    std::unordered_map<std::uint64_t, Index> counts_;
  };

  WordPairs() = default;
  WordPairs(const Counts& counts, Index size, Index min_count);

  Index size() const { return static_cast<Index>(pairs_.size()); }
  // The number of a pair, −1 if it is not here.
  std::int32_t find(std::int32_t first, std::int32_t second) const {
    const auto found = numbers_.find(key(first, second));
    return found == numbers_.end() ? -1 : found->second;
  }
  std::string text(std::int32_t pair, const Vocabulary& vocabulary) const;

  void save(const std::string& path, const Vocabulary& vocabulary) const;
  static WordPairs load(const std::string& path, const Vocabulary& vocabulary);

 private:
  struct Pair {
    std::int32_t first, second;
    Index count;
  };
  static std::uint64_t key(std::int32_t first, std::int32_t second) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 |
           static_cast<std::uint32_t>(second);
  }
  bool append(Pair pair);

  std::vector<Pair> pairs_;
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;
};

}  // namespace heed
