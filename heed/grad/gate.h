#pragma once

#include "heed/grad/context.h"

namespace heed::grad {

// The gated linear unit (Dauphin et al. 2017): y = a ⊙ sigmoid(b)
//   x = [a b] (rows, 2 · columns) → (rows, columns)
Var glu(Context& context, const Var& x);

}  // namespace heed::grad
