#pragma once

#include "heed/model/wide/linear_svm.h"
#include "heed/model/wide/tfidf.h"

namespace heed {

// The TF-IDF values of one text's features, together of length 1:
//   (1 + log count) · idf
void tfidf_values(std::span<const std::int32_t> features, std::span<const std::int32_t> counts,
                  const Tensor& idf, std::span<float> values);

// A score for each feature and class, learned at once before the first step.
//   features (Σ of all sequences) → (sequences, classes); nothing in training.
//   Parameters, all frozen: weight (entries, classes), idf (entries).
//
// The network learns without these scores: they know the labels of the training texts, and would
// leave it nothing to learn. Scores from tables that were learned from other folds of the texts
// (stacking, Wolpert 1992) were tried and were worse where texts of one source are alike.
class TfidfNetwork : public WideNetwork {
 public:
  TfidfNetwork(const Scope& scope, const TfidfOptions& options, Index classes);

  Var operator()(Context& context, const Batch& batch) const override;
  bool learn(const Examples& train, int workers, double seconds) override;
  void describe(Plan& plan) const override;

 private:
  void learn_idf(const Examples& train) const;
  LabelledFeatures features_of(const Examples& train) const;

  TfidfOptions options_;
  const Parameter* weight_;
  const Parameter* idf_;
};

}  // namespace heed
