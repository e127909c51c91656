#pragma once

#include <optional>

#include "heed/model/parts.h"
#include "heed/nn/embedding.h"

namespace heed {

// Words (or characters, or subwords) → vectors: the vector of each token, and with letters the mean
// of the vectors of the pieces that its word is made of.
//   ids (rows) → (rows, width).  Parameters: words, letters.
//
// In training a token is now and then replaced by the unknown one (word dropout), letters and all,
// so that the model learns what to do with words that it has never seen.
class TextInput : public Input {
 public:
  TextInput(const Scope& scope, const Config& config);

  Sequences operator()(Context& context, const BatchPart& part) const override;

 private:
  std::span<const float> weights(Context& context, const BatchPart& part,
                                 const Layout& layout) const;

  TextInputOptions options_;
  nn::Embedding words_;
  std::optional<nn::Embedding> letters_;
  const Parameter* idf_ = nullptr;  // (entries): log(texts / texts that have it), frozen
};

}  // namespace heed
