#pragma once

#include <cstdint>

#include "heed/tensor/shape.h"

namespace heed::kernel {

// The largest of each channel among the rows that each output looks at. Which row of x is at each
// tap of each output stands in a table, −1 where there is none; an output has at least one.
struct MaxPool {
  Index outputs, taps, channels;
  const std::int32_t* source;  // (outputs, taps)
};

// y_oc = max_t x_source(o, t)c, and the tap where it was, as a number; the first of equals. NaN is
// larger than any number.
void max_pool(const MaxPool& job, const float* x, float* y, float* tap);

// dx_source(o, tap) += dy_o
void max_pool_backward(const MaxPool& job, const float* dy, const float* tap, float* dx);

}  // namespace heed::kernel
