#pragma once

#include "heed/model/parts.h"
#include "heed/nn/linear.h"
#include "heed/nn/recurrent.h"

namespace heed {

// RNN, LSTM or GRU layers, read serially, and a linear layer back to the model's width.
//   (rows, width) → (rows, width)
class RecurrentBody : public Body {
 public:
  RecurrentBody(const Scope& scope, const Config& config);

  Sequences operator()(Context& context, const Sequences& x) const override;

 private:
  nn::Recurrent recurrent_;
  nn::Linear out_;
};

}  // namespace heed
