#pragma once

#include "heed/kernel/dropout.h"
#include "heed/tensor/shape.h"

namespace heed::kernel {

enum class Activation { kNone, kRelu, kGelu, kSilu, kTanh, kSigmoid };

// y = dropout(activation(x + bias)), the end of a linear layer. `bias` may be null.
struct ActivationJob {
  Activation activation = Activation::kNone;
  Index rows = 0, columns = 0;
  const float* bias = nullptr;
  Dropout dropout;
};

// ReLU's derivative can be read off its output, even through dropout; the others need what went in.
inline bool needs_input(Activation activation) {
  return activation != Activation::kNone && activation != Activation::kRelu;
}

// In place on y. Where needs_input(), x + bias is kept in `input`.
void activation_forward(const ActivationJob& job, float* y, float* input);

// In place on dy, which becomes the gradient of x + bias; its column sums are added to `dbias`
// unless that is null.
void activation_backward(const ActivationJob& job, const float* y, const float* input, float* dy,
                         float* dbias);

}  // namespace heed::kernel
