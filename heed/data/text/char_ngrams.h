#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// The character n-grams of words: all runs of `shortest` to `longest` characters of <word>, its
// ends marked. Of a long word the first kMostCharacters count, the mark included.
//
//   CharNgrams ngrams(2, 5);
//   ngrams(word, [&](std::string_view ngram) { … });
//
// Keeps its memory from word to word; one for each thread.
class CharNgrams {
 public:
  static constexpr std::size_t kMostCharacters = 39;

  CharNgrams(Index shortest, Index longest)
      : shortest_(static_cast<std::size_t>(shortest)),
        longest_(static_cast<std::size_t>(longest)) {}

  template <typename Take>
  void operator()(std::string_view word, Take&& take) {
    marked_.assign(1, '<').append(word).push_back('>');
    begins_.clear();
    for (std::size_t i = 0; i < marked_.size() && begins_.size() <= kMostCharacters; ++i) {
      if ((static_cast<unsigned char>(marked_[i]) & 0xC0) != 0x80) begins_.push_back(i);
    }
    if (begins_.size() <= kMostCharacters) begins_.push_back(marked_.size());
    for (std::size_t first = 0; first + 1 < begins_.size(); ++first) {
      for (std::size_t length = shortest_; length <= longest_; ++length) {
        if (first + length >= begins_.size()) break;
        take(std::string_view(marked_).substr(begins_[first],
                                              begins_[first + length] - begins_[first]));
      }
    }
  }

 private:
  std::size_t shortest_, longest_;
  std::string marked_;
  std::vector<std::size_t> begins_;  // of each character, and the end of the last
};

}  // namespace heed
