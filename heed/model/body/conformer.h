#pragma once

#include "heed/model/body.h"
#include "heed/nn/conformer.h"
#include "heed/nn/position.h"

namespace heed {

struct ConformerBodyOptions {
  nn::PositionOptions position{.kind = nn::Position::kRotary};  // their width is the model's
  nn::ConformerOptions conformer{.taps = 15, .dropout = 0.1f};  // its width is the model's
};
template <class Archive>
void describe(Archive& archive, ConformerBodyOptions& options);

// Positions and a stack of Conformer blocks: attention for what is far, convolution for what is
// near, between two halves of a feed-forward layer. A window for attention is in attention.mask.
//   (rows, width) → (rows, width).  Parameters: positions, layers.
class ConformerBody : public PartOf<ConformerBody, Body, ConformerBodyOptions> {
 public:
  std::string problem(Index width) const override;
  Index longest() const override;
  void expect_rows(Index rows) override;
  void set_dropout(float rate) override { options_.conformer.dropout = rate; }
  void apply(const SizePreset& size) override;
  std::unique_ptr<BodyNetwork> network(const Scope& scope, Index width) const override;
};

}  // namespace heed
