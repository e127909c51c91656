#pragma once

#include <optional>

#include "heed/model/input.h"
#include "heed/model/input/char_cnn.h"
#include "heed/model/input/masked_words.h"

namespace heed {

// Tokens → vectors: the vector of each token; with character n-grams also the mean of theirs; with
// a character CNN also what it makes of the word's characters.
// Of pairs of texts each row also gets the vector of its side: first, second, or the separator.
//   tokens (rows) → (rows, width).  Parameters: words, char_ngrams, char_cnn, sides, masked_words.
//
// In training a token is now and then replaced by the unknown one (word dropout), while its
// characters stay, so that the model learns what to do with words that it has never seen. Masked
// words are hidden with their characters, and loss() is what it costs to predict them.
class TextNetwork : public InputNetwork {
 public:
  TextNetwork(const Scope& scope, const TextOptions& options, Index width);

  Sequences operator()(Context& context, const Batch& batch) const override;
  Var loss(Context& context, const Sequences& body, const Batch& batch) const override;
  void describe(Plan& plan) const override;
  const Parameter* table() const override { return options_.tied ? &words_.table() : nullptr; }
  Sequences embed(Context& context, std::span<const std::int32_t> tokens,
                  const Layout& layout) const override;

 private:
  // What the vectors of words are made of.
  struct Words {
    std::span<const std::int32_t> tokens;          // (rows)
    std::span<const std::int32_t> ngrams, counts;  // of each row's word; or none
  };
  Var vectors_of(Context& context, const Words& words, const Layout& layout) const;
  Sequences kept_vectors_of(Context& context, const Words& words, const Layout& layout,
                            KeptVectors& kept) const;

  TextOptions options_;
  float scale_;  // of the vectors
  nn::Embedding words_;
  std::optional<nn::Embedding> char_ngrams_;
  std::optional<CharCnn> char_cnn_;
  std::optional<nn::Embedding> sides_;
  std::optional<MaskedWords> masked_words_;
};

}  // namespace heed
