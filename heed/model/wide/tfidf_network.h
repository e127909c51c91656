#pragma once

#include <optional>

#include "heed/model/wide/naive_bayes.h"
#include "heed/model/wide/tfidf.h"
#include "heed/nn/embedding.h"
#include "heed/nn/linear.h"

namespace heed {

// The TF-IDF values of one text's features, together of length 1:
//   (1 + log count) · idf
void tfidf_values(std::span<const std::int32_t> features, std::span<const std::int32_t> counts,
                  const Tensor& idf, std::span<float> values);

// Of each feature 1 + log((1 + texts) / (1 + texts that have it)).
std::vector<float> idf_values(std::span<const double> texts_that_have_it, Index texts);

// A linear layer over TF-IDF features, and naive Bayes where the options ask for it.
//   features (Σ of all sequences) → (sequences, classes).  Parameters: weight (entries, classes);
//   idf (entries), which is counted, not learned; those of NaiveBayes.
class TfidfNetwork : public WideNetwork {
 public:
  TfidfNetwork(const Scope& scope, const TfidfOptions& options, Index classes);

  Var operator()(Context& context, const Batch& batch) const override;
  void count(const Examples& train) const override;
  void describe(Plan& plan) const override;

 private:
  void count_idf(const Examples& train) const;
  std::span<const float> values(Context& context, const Batch& batch, const Layout& layout) const;
  // The same times `scale`, with dropout.
  std::span<const float> dropped(Context& context, const Layout& layout,
                                 std::span<const float> values) const;

  TfidfOptions options_;
  nn::Embedding weights_;
  const Parameter* idf_;
  std::optional<NaiveBayes> naive_bayes_;
};

}  // namespace heed
