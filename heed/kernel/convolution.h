#pragma once

#include <cstdint>

#include "heed/kernel/matmul.h"

namespace heed::kernel {

// A depthwise convolution: every channel has taps of its own. Which row of x each tap of each
// output reads stands in a table, −1 where it reads zeros.
struct Depthwise {
  Index outputs, taps, channels;
  const std::int32_t* source;  // (outputs, taps)
};

// y_o = Σ_t w_t ⊙ x_source(o, t), or added to y:  w (taps, channels), y (outputs, channels)
void depthwise(const Depthwise& job, const float* x, const float* w, float* y, Store store);

// dw_t += Σ_o dy_o ⊙ x_source(o, t)
void depthwise_weight(const Depthwise& job, const float* x, const float* dy, float* dw);

}  // namespace heed::kernel
