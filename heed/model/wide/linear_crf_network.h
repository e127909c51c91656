#pragma once

#include "heed/model/wide/linear_crf.h"
#include "heed/nn/crf.h"

namespace heed {

// Scores of features → scores of the tags of each row, and a chain over them.
//   features (Σ of all rows) → (rows, tags): log p(tag of the row); nothing in training.
//   Parameters, all frozen: weight (entries, tags), transitions (tags, tags), start, end (tags).
//
// Learned by stochastic gradient descent, a sentence at a time, with L2 on the scores of features
// (Bottou 2010).
class LinearCrfNetwork : public WideNetwork {
 public:
  LinearCrfNetwork(const Scope& scope, const LinearCrfOptions& options, Index tags);

  Var operator()(Context& context, const Batch& batch) const override;
  bool learn(const Examples& train, int workers, double seconds) override;
  void describe(Plan& plan) const override;

 private:
  // Sentences as their features, how many of them each row has, and their tags.
  struct TaggedFeatures {
    Ragged<std::int32_t> features, counts, tags;
  };

  Index tags() const { return start_->value.count(); }
  grad::CrfParameters chain() const {
    return {{transitions_->value}, {start_->value}, {end_->value}};
  }
  // Emissions of rows: (rows, tags), `scale` times what the tables say.
  Tensor emissions(Arena& arena, std::span<const std::int32_t> features,
                   std::span<const std::int32_t> counts, float scale) const;

  TaggedFeatures features_of(const Examples& train) const;
  // One step of descent. `scale` is what the scores of features are multiplied by.
  void learn_sentence(Context& context, const TaggedFeatures& sentences, Index sentence,
                      double rate, double& scale) const;
  // Multiplies the table by `scale`, which is 1 then.
  void settle(double& scale) const;

  LinearCrfOptions options_;
  const Parameter *weight_, *transitions_, *start_, *end_;
};

}  // namespace heed
