#pragma once

#include "heed/model/body.h"
#include "heed/model/body/attention_parts.h"
#include "heed/nn/conformer.h"
#include "heed/nn/position.h"

namespace heed {

struct ConformerBodyOptions {
  nn::PositionOptions position{.kind = nn::Position::kRotary};  // their width is the model's
  nn::ConformerOptions conformer{.taps = 15, .dropout = 0.1f};  // its width is the model's
  SecondsOptions seconds{};  // truncated attention where rows are time
};
template <class Archive>
void describe(Archive& archive, ConformerBodyOptions& options);

// Positions and a stack of Conformer blocks: attention for what is far, convolution for what is
// near, between two halves of a feed-forward layer. A window for attention is in attention.mask
// or, in seconds, in `seconds`.
//   (rows, width) → (rows, width).  Parameters: positions, layers.
class ConformerBody : public PartOf<ConformerBody, Body, ConformerBodyOptions> {
 public:
  std::string problem(Index width) const override;
  Index longest() const override;
  void expect_rows(Index rows) override;
  void expect_row_seconds(double seconds) override { row_seconds_ = seconds; }
  std::string timeless_problem() const override { return seconds_problem(options_.seconds); }
  void set_dropout(float rate) override { options_.conformer.dropout = rate; }
  void apply(const SizePreset& size) override;
  std::unique_ptr<BodyNetwork> network(const Scope& scope, Index width) const override;

 private:
  double row_seconds_ = 0.0;
};

}  // namespace heed
