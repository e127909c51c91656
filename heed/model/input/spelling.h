#pragma once

#include "heed/model/config.h"
#include "heed/nn/convolution.h"
#include "heed/nn/embedding.h"
#include "heed/nn/linear.h"

namespace heed {

// Letters of a word as they are numbered: a code point itself while it is small, a few numbers
// shared by all the others, and the ends of the word.
inline constexpr std::int32_t kLetters = 1024;
inline constexpr std::int32_t kWordBegin = 2, kWordEnd = 3;
std::int32_t letter_number(char32_t code);

// What a word looks like: a convolution over its letters, the strongest answer of each filter, and
// a linear layer.
//   letters (Σ counts), counts (words) → (words, width).  Parameters: letters, filters, out.
class Spelling {
 public:
  Spelling(const Scope& scope, const SpellingOptions& options, Index width);

  Var operator()(Context& context, std::span<const std::int32_t> letters,
                 std::span<const std::int32_t> counts) const;

 private:
  nn::Embedding letters_;
  nn::Convolution1d filters_;
  nn::Linear out_;
};

}  // namespace heed
