#pragma once

#include "heed/grad/context.h"

namespace heed::grad {

// Operations on rows that are made of heads: (rows, heads · depth).

// Rotary positions, as grad/rotation.h has them, of all columns in heads of `depth`.
Var rotary(Context& context, const Sequences& x, const Layout& positions, Index depth,
           float base = 10000.0f);

// y = x · e^(−log_temperature_h) for head h: log_temperature (heads).
Var cool_heads(Context& context, const Var& x, const Var& log_temperature);

// y_h = x_h W_h: x (rows, heads · depth), weight (heads, depth, out) → (rows, heads · out)
Var head_product(Context& context, const Var& x, const Var& weight);

// The mean over heads: (rows, heads · depth) → (rows, depth)
Var average_heads(Context& context, const Var& x, Index heads);

}  // namespace heed::grad
