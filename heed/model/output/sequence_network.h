#pragma once

#include <optional>

#include "heed/decode/steps.h"
#include "heed/grad/copy.h"
#include "heed/model/output/sequence.h"
#include "heed/nn/linear.h"
#include "heed/nn/position.h"

namespace heed {

// The network of SequenceOutput.
class SequenceNetwork : public OutputNetwork {
 public:
  SequenceNetwork(const Scope& scope, const SequenceOptions& options, Index width);

  // A UsageError: what follows depends on what was written before.
  Var scores(Context& context, const Sequences& x) const override;
  Var loss(Context& context, const Sequences& x, const Batch& batch,
           const WideScores& wide) const override;
  // By beam search, or greedily where it is to be quick. Where the context has a trace, the best
  // hypotheses are read once more as a whole, so that the last calls of the trace are those of the
  // decoder: for each layer its attention to itself, then to `x`, the alignment.
  std::vector<Prediction> predict(Context& context, const Sequences& x, const Batch& batch,
                                  const WideScores& wide, Index top) const override;
  std::vector<Prediction> write(Context& context, const Sequences& x, const Batch& batch, Index top,
                                const TokenWritten& written) const override;
  void describe(Plan& plan) const override;
  void describe_answer(Plan& plan) const override;

 private:
  bool decodes() const { return options_.ctc < 1.0f; }
  // The last entry: the end of a text, and the blank of CTC.
  std::int32_t end() const { return static_cast<std::int32_t>(entries_ - 1); }
  Var ctc_loss(Context& context, const Sequences& x, const Batch& batch) const;
  // The likeliest labels of each sequence by CTC alone.
  std::vector<std::vector<decode::Hypothesis>> ctc_search(Context& context, const Sequences& x,
                                                          Index beam, Index best) const;
  decode::Hypotheses search(Context& context, const Sequences& x, const Batch& batch, Index top,
                            const TokenWritten& written) const;
  // `seen` has all rows of the sequences so far, of which these are the last.
  Sequences embed(Context& context, std::span<const std::int32_t> tokens, const Layout& layout,
                  const Layout& seen) const;
  // The decoder's rows for targets whose last token is left out, with the begin in front.
  Sequences decode(Context& context, const Sequences& memory, std::span<const std::int32_t> targets,
                   std::span<const Index> lengths) const;
  Var logits(Context& context, const Var& rows) const;
  // What of a batch can be copied; `x` are its rows.
  grad::CopySource copied(Context& context, const Sequences& x, const Batch& batch) const;
  // The logits of the decoder's rows, raised where their tokens stand in the source.
  Var logits(Context& context, const Sequences& rows, const grad::CopySource& source) const;
  std::vector<Index> longest(const Layout& layout) const;

  SequenceOptions options_;
  Index entries_, width_;  // entries_: the end included
  // Without a decoder there is none of these.
  const Parameter* words_ = nullptr;  // (entries + 1, width)
  std::optional<nn::Positions> positions_;
  std::optional<nn::Decoder> decoder_;
  std::optional<nn::Linear> copy_query_, copy_key_;
  std::optional<nn::Linear> ctc_;
};

}  // namespace heed
