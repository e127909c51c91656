#pragma once

#include "heed/decode/steps.h"
#include "heed/model/output/next_token.h"

namespace heed {

// The network of NextTokenOutput: nothing but the input's table, which scores rows.
class NextTokenNetwork : public OutputNetwork {
 public:
  explicit NextTokenNetwork(const NextTokenOptions& options) : options_(options) {}

  void tie(const Parameter& table) override { table_ = &table; }
  Var scores(Context& context, const Sequences& x) const override;  // (rows, entries + 1)
  Var loss(Context& context, const Sequences& x, const Batch& batch,
           const WideScores& wide) const override;
  // How likely the answers of the batch are.
  std::vector<Prediction> predict(Context& context, const Sequences& x, const Batch& batch,
                                  const WideScores& wide, Index top) const override;
  std::vector<Prediction> write(Reader& reader, const Batch& batch, Index top,
                                const TokenWritten& written) const override;
  void describe(Plan& plan) const override;
  void describe_answer(Plan& plan) const override;

 private:
  class Stepper;

  NextTokenOptions options_;
  const Parameter* table_ = nullptr;  // (entries + 1, width)
};

}  // namespace heed
