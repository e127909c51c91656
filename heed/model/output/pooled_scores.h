#pragma once

#include <iterator>
#include <optional>

#include "heed/grad/context.h"
#include "heed/model/plan.h"
#include "heed/nn/linear.h"
#include "heed/nn/pooling.h"

namespace heed {

struct PooledOptions {
  nn::PoolingKind pooling = nn::PoolingKind::kMean;
  Index hidden = 0;  // numbers of a layer between pooling and classifier; 0: none
  nn::Activation activation = nn::Activation::kSigmoid;  // of that layer
  float dropout = 0.1f;                                  // before the classifier layer
  Index classes = 0;
};

// The part of an output's options that is about them.
template <class Options>
PooledOptions pooled_options(const Options& options) {
  return {.pooling = options.pooling,
          .hidden = options.hidden,
          .activation = options.activation,
          .dropout = options.classes.dropout,
          .classes = std::ssize(options.classes.names)};
}

// Scores of a whole sequence: pooling, perhaps a hidden layer, and a linear layer.
//   (rows, width) → (sequences, classes).
//   Parameters: scores (attention pooling), hidden (where there is one), last.
class PooledScores {
 public:
  PooledScores(const Scope& scope, const PooledOptions& options, Index width);

  Var operator()(Context& context, const Sequences& x) const;
  // `noun` is what the scores are of: "classes".
  void describe(Plan& plan, const char* noun) const;

 private:
  PooledOptions options_;
  nn::Pooling pooling_;
  nn::Linear last_;
  std::optional<nn::Linear> hidden_;
};

}  // namespace heed
