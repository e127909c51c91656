#pragma once

#include <span>

#include "heed/data/examples.h"
#include "heed/grad/context.h"

namespace heed {

// Complement naive Bayes (Rennie et al. 2003) on weighted features: a feature speaks for a class as
// it is missing in all the others,
//   score(class) = Σ over features of value · log(all features of the other classes / this one's),
// less the mean over the classes. It is at its best where texts are few and their words many, which
// is where learning is at its worst.
//
// The weight of each class is learned. In training each text is left out of the counts (leave-one-
// out), or every text would seem to be known already and nothing would be left to learn.
//   features (Σ of all sequences) → (sequences, classes).  Parameters: counts (entries + 1,
//   classes), which are counted, not learned, the last row their sum; naive_bayes (1, classes).
class NaiveBayes {
 public:
  NaiveBayes(const Scope& scope, Index entries, Index classes, float weight);

  // `labels` (sequences) are those of the texts in training, where each is left out; else empty.
  Var operator()(Context& context, std::span<const std::int32_t> features,
                 std::span<const float> values, const Layout& layout,
                 std::span<const std::int32_t> labels) const;

  // Counting: all zeros, then one text after another, then the sum.
  void clear() const;
  void count(std::span<const std::int32_t> features, std::span<const float> values,
             std::int32_t label) const;
  void finish() const;

  // What one feature of value 1 says about each class when nothing is left out.
  static void scores(const Tensor& counts, Index feature, std::span<float> scores);

 private:
  const Parameter* counts_;
  const Parameter* weight_;
};

}  // namespace heed
