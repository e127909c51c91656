#pragma once

#include <functional>
#include <optional>

#include "heed/nn/convolution.h"

namespace heed::nn {

// A convolution over rows that come again (Sequences::kept), where weights stay as they are. What a
// row adds to its neighbours depends on the row alone: W_tap · prepare(x), for each tap. So that is
// made once for a word and kept, and a result is the sum of a few of these:
//   activation(b + Σ_taps W_tap prepare(x)_tap), zeros beyond the ends of a sequence: (rows, out)
//
// `prepare` is done to single rows before the convolution, such as a norm. Nothing is returned
// where rows or weights cannot be kept; then the convolution has to be computed.
using PrepareRows = std::function<Var(Context&, const Var&)>;
std::optional<Var> kept_convolution(Context& context, const Sequences& x,
                                    const Convolution1d& convolution, Activation activation,
                                    const PrepareRows& prepare);

}  // namespace heed::nn
