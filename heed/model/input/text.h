#pragma once

#include <optional>

#include "heed/model/input/spelling.h"
#include "heed/model/parts.h"

namespace heed {

// Words (or characters, or subwords) → vectors: the vector of each token; with letters also the
// mean of the vectors of the pieces that its word is made of; with spelling also what a convolution
// makes of its letters.
//   ids (rows) → (rows, width).  Parameters: words, letters, spelling.
//
// In training a token is now and then replaced by the unknown one (word dropout), while its letters
// stay, so that the model learns what to do with words that it has never seen.
class TextInput : public Input {
 public:
  TextInput(const Scope& scope, const Config& config);

  Sequences operator()(Context& context, const BatchPart& part) const override;

 private:
  TextInputOptions options_;
  nn::Embedding words_;
  std::optional<nn::Embedding> letters_;
  std::optional<Spelling> spelling_;
};

}  // namespace heed
