#pragma once

#include <optional>

#include "heed/model/body.h"
#include "heed/model/body/attention_parts.h"
#include "heed/nn/encoder.h"
#include "heed/nn/position.h"

namespace heed {

struct AttentionBodyOptions {
  nn::PositionOptions position{};  // their width is the model's
  nn::EncoderOptions encoder{};    // its width is the model's
  SecondsOptions seconds{};        // truncated attention where rows are time
  Index segment = 0;               // rows that are read at a time; 0: a whole sequence
  std::optional<Index> memory;     // states of the segments before that one sees; none: `segment`
};
template <class Archive>
void describe(Archive& archive, AttentionBodyOptions& options);

// Positions and a stack of encoder layers: the Transformer encoder.
//   (rows, width) → (rows, width).  Parameters: positions, layers, norm.
//
// With `segment`, a longer sequence is read in segments of so many rows. Each also attends to the
// newest `memory` states of the segments before it, which it does not differentiate through
// (Transformer-XL, Dai et al. 2019). Positions that are added to the vectors count from the
// beginning of a segment; those inside attention count on through the memory.
class AttentionBody : public PartOf<AttentionBody, Body, AttentionBodyOptions> {
 public:
  std::string problem(Index width) const override;
  std::string causal_problem() const override;
  Index longest() const override;
  Index segment() const override { return options_.segment; }
  void expect_rows(Index rows) override;
  void expect_row_seconds(double seconds) override { row_seconds_ = seconds; }
  std::string timeless_problem() const override { return seconds_problem(options_.seconds); }
  void set_dropout(float rate) override;
  void apply(const SizePreset& size) override;
  std::unique_ptr<BodyNetwork> network(const Scope& scope, Index width) const override;

 private:
  double row_seconds_ = 0.0;
};

}  // namespace heed
