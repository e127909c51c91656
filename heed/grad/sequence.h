#pragma once

#include "heed/grad/context.h"

namespace heed::grad {

// Operations that put rows of sequences together.

// Each sequence of `first` followed by the same sequence of `second`.
Sequences concatenate(Context& context, const Sequences& first, const Sequences& second);

// The same rows (count, width) before every sequence: memory slots, a class token.
Sequences prepend(Context& context, const Var& rows, const Sequences& x);

// The last rows of each sequence: as many as `layout` has.
Var last_rows(Context& context, const Sequences& x, const Layout& layout);

// Columns of several values side by side: (rows, a) and (rows, b) → (rows, a + b)
Var beside(Context& context, const Var& left, const Var& right);

}  // namespace heed::grad
