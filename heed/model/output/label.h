#pragma once

#include <optional>

#include "heed/model/output/clues.h"
#include "heed/nn/linear.h"
#include "heed/nn/pooling.h"

namespace heed {

// One answer for the whole sequence: pooling, then a linear layer.
//   (rows, width) → (sequences, classes)
class LabelOutput : public Output {
 public:
  LabelOutput(const Scope& scope, const Scope& counted, const Config& config);

  Var loss(Context& context, const Sequences& x, const BatchPart& part) const override;
  std::vector<Prediction> predict(Context& context, const Sequences& x, const BatchPart& part,
                                  Index top) const override;

 private:
  Var logits(Context& context, const Sequences& x, const BatchPart& part) const;

  OutputOptions options_;
  nn::Pooling pooling_;
  nn::Linear last_;
  std::optional<Clues> clues_;
};

}  // namespace heed
