#pragma once

#include "heed/model/wide/labelled_features.h"
#include "heed/model/wide/tfidf.h"

namespace heed {

// The TF-IDF values of one text's features, which rise: (1 + log count) · idf. Those of words and
// pairs together have the length √½, and so have the `ngrams` last of all features; without n-grams
// the length is 1. The unknown word has the value 1.
struct TfidfValues {
  const Tensor& idf;
  Index ngrams;

  void operator()(std::span<const std::int32_t> features, std::span<const std::int32_t> counts,
                  std::span<float> values) const;
};

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
  void settle() override { svm_ = {}; }
  // How much naive Bayes counts beside the SVM: no more than the options say, less where that has
  // the lower log loss.
  float balance(const Examples& held_out) override;
  void weigh(float weight) override;
  void describe(Plan& plan) const override;

 private:
  void learn_idf(const Examples& train) const;
  TfidfValues tfidf() const { return {idf_->value, options_.char_ngrams.entries}; }
  // Calls use(features, values, label) for one in `every` of those that have a label.
  template <typename Use>
  void each_text(const Examples& examples, Index every, const Use& use) const;
  LabelledFeatures features_of(const Examples& train) const;

  TfidfOptions options_;
  const Parameter* weight_;
  const Parameter* idf_;
  std::vector<float> svm_;  // what learn() found, until it is settled
};

}  // namespace heed
