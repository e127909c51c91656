#pragma once

#include "heed/grad/context.h"

namespace heed::grad {

// Operations on rows that are made of heads: (rows, heads · depth).

// Turns pairs of columns (d, d + depth/2) of each head by an angle that grows with the position
// (RoFormer, Su et al. 2021). Row i of sequence s has position
// positions.length(s) − x.layout.length(s) + i, so that rows may be the last of a longer sequence.
// Where the positions are a grid, half of the pairs turn with a row's line in the picture and the
// others with its column, each by the faster half of the rates: what one row sees of another
// depends on how far it is below and to the right, wherever the two are.
Var rotary(Context& context, const Sequences& x, const Layout& positions, Index depth,
           float base = 10000.0f);

// y = x · e^(−log_temperature_h) for head h: log_temperature (heads).
Var cool_heads(Context& context, const Var& x, const Var& log_temperature);

// y_h = x_h W_h: x (rows, heads · depth), weight (heads, depth, out) → (rows, heads · out)
Var head_product(Context& context, const Var& x, const Var& weight);

// The mean over heads: (rows, heads · depth) → (rows, depth)
Var average_heads(Context& context, const Var& x, Index heads);

}  // namespace heed::grad
