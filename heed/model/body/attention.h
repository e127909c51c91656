#pragma once

#include "heed/model/parts.h"
#include "heed/nn/encoder.h"
#include "heed/nn/position.h"

namespace heed {

// Positions and a stack of encoder layers.
class AttentionBody : public Body {
 public:
  AttentionBody(const Scope& scope, const Config& config);

  Sequences operator()(Context& context, const Sequences& x) const override;

 private:
  nn::Positions positions_;
  nn::Encoder encoder_;
};

}  // namespace heed
