#pragma once

#include "heed/model/parts.h"
#include "heed/nn/embedding.h"

namespace heed {

// What single words, pairs of neighbouring words and pieces of words say about a text's label, each
// by itself: a linear path beside the body, which learns topics from few examples.
//
// Every clue has a score for each class. It counts (1 + log how often it is in the text) · idf, idf
// being 1 + log((1 + texts) / (1 + texts that have it)); the weights of a text have the length
// `scale`. A text's scores are the weighted sum of its clues'.
//   clues (Σ of all sequences) → (sequences, classes).  Parameters: weight (entries, classes), and
//   idf (entries), which is counted, not learned.
class Clues {
 public:
  Clues(const Scope& scope, const Config& config);

  Var operator()(Context& context, const BatchPart& part) const;

 private:
  std::span<const float> weights(Context& context, const BatchPart& part,
                                 const Layout& layout) const;

  ClueOptions options_;
  nn::Embedding scores_;
  const Parameter* idf_;
};

}  // namespace heed
