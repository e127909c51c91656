#pragma once

#include "heed/model/input/text_options.h"
#include "heed/nn/convolution.h"
#include "heed/nn/embedding.h"
#include "heed/nn/linear.h"

namespace heed {

// Characters by number: a code point itself while it is small, a few numbers shared by all the
// others, and the ends of a word.
inline constexpr std::int32_t kCharacters = 1024;
inline constexpr std::int32_t kWordBegin = 2, kWordEnd = 3;
std::int32_t character_number(char32_t code);

// A convolution over the characters of each word, max-pooled, and a linear layer. A word that
// occurs more than once is computed once.
//   characters (Σ counts), counts (rows) → (rows, width).  Parameters: characters, filters, out.
class CharCnn {
 public:
  CharCnn(const Scope& scope, const CharCnnOptions& options, Index width);

  Var operator()(Context& context, std::span<const std::int32_t> characters,
                 std::span<const std::int32_t> counts) const;
  double flops(Index words, Index characters) const;

 private:
  nn::Embedding characters_;
  nn::Convolution1d filters_;
  nn::Linear out_;
};

}  // namespace heed
