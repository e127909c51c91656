#pragma once

#include <optional>

#include "heed/model/parts.h"
#include "heed/nn/crf.h"
#include "heed/nn/linear.h"

namespace heed {

// One answer for each row: a linear layer, and with `crf` a linear-chain CRF on top, which finds
// the best sequence of tags and not the best tag of each row.
//   (rows, width) → (rows, tags)
class TagsOutput : public Output {
 public:
  TagsOutput(const Scope& scope, const Config& config);

  Var loss(Context& context, const Sequences& x, const BatchPart& part) const override;
  std::vector<Prediction> predict(Context& context, const Sequences& x, const BatchPart& part,
                                  Index top) const override;

 private:
  Var logits(Context& context, const Sequences& x) const;

  OutputOptions options_;
  nn::Linear last_;
  std::optional<nn::Crf> crf_;
};

}  // namespace heed
