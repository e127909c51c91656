#pragma once

#include <optional>

#include "heed/model/output/counted_clues.h"
#include "heed/nn/embedding.h"

namespace heed {

// How much each clue of one text counts, all together of length 1:
//   (1 + log how often it is in the text) · idf
void weigh_clues(std::span<const std::int32_t> clues, std::span<const std::int32_t> counts,
                 const Tensor& idf, std::span<float> weights);

// What single words, pairs of neighbouring words and pieces of words say about a text's label, each
// by itself: a linear path beside the body, which learns topics from few examples.
//
// Every clue has a score for each class. A text's scores are the sum of its clues', each by its
// weight times `scale`; idf is 1 + log((1 + texts) / (1 + texts that have it)).
//   clues (Σ of all sequences) → (sequences, classes).  Parameters: weight (entries, classes), and
//   idf (entries), which is counted, not learned, and one for all members; where counts speak too,
//   those of CountedClues.
class Clues {
 public:
  Clues(const Scope& scope, const Scope& counted, const Config& config);

  Var operator()(Context& context, const BatchPart& part) const;

 private:
  std::span<const float> weights(Context& context, const BatchPart& part,
                                 const Layout& layout) const;
  // The same times `scale`, with dropout.
  std::span<const float> drawn(Context& context, const Layout& layout,
                               std::span<const float> weights) const;

  ClueOptions options_;
  nn::Embedding scores_;
  const Parameter* idf_;
  std::optional<CountedClues> counted_;
};

}  // namespace heed
