#pragma once

#include "heed/nn/norm.h"

namespace heed::nn {

// x + dropout(scale · f(x)), for pre-norm blocks.
inline Sequences add_residual(Context& context, const Sequences& x, const Sequences& branch,
                              float dropout, float scale = 1.0f) {
  return {grad::residual(context, x.rows, branch.rows, context.dropout(dropout, x.layout), scale),
          x.layout};
}

}  // namespace heed::nn
