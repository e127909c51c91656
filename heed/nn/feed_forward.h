#pragma once

#include <optional>

#include "heed/nn/linear.h"

namespace heed::nn {

struct FeedForwardOptions {
  Index width = 0;   // of what comes in and goes out
  Index hidden = 0;  // in between
  Activation activation = Activation::kRelu;
  bool gated = false;    // activation(x W₁) ⊙ (x W₃): with SiLU this is SwiGLU
  float dropout = 0.0f;  // on the hidden layer

  FeedForwardOptions with_width(Index other) const {
    FeedForwardOptions options = *this;
    options.width = other;
    return options;
  }
};

// y = dropout(activation(x W₁ + b₁)) W₂ + b₂:  (rows, width) → the same
class FeedForward {
 public:
  FeedForward(const Scope& scope, const FeedForwardOptions& options);

  Sequences operator()(Context& context, const Sequences& x) const;
  double flops(Index rows) const {
    return in_.flops(rows) + out_.flops(rows) + (gate_ ? gate_->flops(rows) : 0.0);
  }

 private:
  FeedForwardOptions options_;
  Linear in_;
  std::optional<Linear> gate_;
  Linear out_;
};

}  // namespace heed::nn
