#pragma once

#include <vector>

#include "heed/model/parts.h"

namespace heed {

// What clues say by counting alone, as complement naive Bayes has it (Rennie et al. 2003): a clue
// speaks for a class as it is missing in all the others,
//   score(class) = Σ over clues of weight · log(all clues of the other classes / this one's there),
// less the mean over the classes. It is at its best where texts are few and speak of many things,
// which is where learning is at its worst.
//
// How loudly each class is heard is learned. In training a text's own clues are taken out of the
// counts first, or every text would seem to be known already and nothing would be left to learn.
//   clues (Σ of all sequences) → (sequences, classes).  Parameters: counts (entries, classes),
//   which are counted, not learned, and one for all members, and loudness (1, classes).
class CountedClues {
 public:
  CountedClues(const Scope& scope, const Scope& counted, const Config& config);

  // `weights` as weigh_clues() gives them.
  Var operator()(Context& context, const BatchPart& part, const Layout& layout,
                 std::span<const float> weights) const;

  // Fills in the counts, from all texts to learn from.
  static void count(std::span<const Example> examples, const Tensor& idf, const Tensor& counts);

 private:
  const Parameter* counts_;
  const Parameter* loudness_;
};

// A parameter that is counted, not learned: made by the first member that asks for it.
const Parameter& add_counted(const Scope& scope, std::string_view name, const Shape& shape,
                             float first);

}  // namespace heed
