#pragma once

#include "heed/model/parts.h"
#include "heed/nn/encoder.h"
#include "heed/nn/position.h"

namespace heed {

// Positions and a stack of encoder layers.
//
// Where texts are read in segments, a sequence of more than text.longest rows is read in pieces of
// so many. Each piece also attends to the newest body.memory states of the pieces before it, which
// it does not differentiate through. Positions that are added to the vectors count from the
// beginning of a piece; those inside attention count on through the memory.
class AttentionBody : public Body {
 public:
  AttentionBody(const Scope& scope, const Config& config);

  Sequences operator()(Context& context, const Sequences& x) const override;

 private:
  Sequences in_pieces(Context& context, const Sequences& x, Index pieces) const;

  Index longest_;  // rows of a piece
  Index memory_;   // rows that the next one sees
  nn::Encoder encoder_;
  nn::Positions positions_;  // after it: they are computed, and it may be too large
};

// The stack as the config has it, with the model's width and with positions that work inside
// attention.
nn::EncoderOptions encoder_options(const Config& config);

}  // namespace heed
