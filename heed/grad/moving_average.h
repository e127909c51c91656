#pragma once

#include <cstdint>
#include <span>

#include "heed/grad/context.h"

namespace heed::grad {

// What has been read so far, as an exponential moving average in which each row decides how much of
// it stays: a recurrence without a product in each step, the pooling of QRNN (Bradbury et al.
// 2017).
//
//   x = [a b] (rows, 2 · width) → (rows, width)
//   z = tanh(a)     f = sigmoid(b)
//   h_t = f_t ⊙ h_t−1 + (1 − f_t) ⊙ z_t,  h before the first row: 0
//
// The first half of the columns is read forwards, the second backwards. Rows that are `hidden`
// (none, or one mark for each row) are passed over as if they were not there; their result is 0.
Var moving_average(Context& context, const Sequences& x, std::span<const std::uint8_t> hidden = {});

}  // namespace heed::grad
