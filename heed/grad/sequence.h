#pragma once

#include <span>

#include "heed/grad/context.h"

namespace heed::grad {

// Operations that put rows of sequences together.

// Each sequence of the first part followed by the same sequence of the next, and so on.
Sequences concatenate(Context& context, std::span<const Sequences> parts);
Sequences concatenate(Context& context, const Sequences& first, const Sequences& second);

// Rows begin … begin + count − 1 of each sequence, as far as it has them.
Sequences slice(Context& context, const Sequences& x, Index begin, Index count);

// The same rows (count, width) before every sequence: memory slots, a class token.
Sequences prepend(Context& context, const Var& rows, const Sequences& x);

// The last rows of each sequence: as many as `layout` has.
Var last_rows(Context& context, const Sequences& x, const Layout& layout);

// These rows of x, in this order, each perhaps more than once:
//   x (rows, width), numbers (count) → (count, width)
Var select_rows(Context& context, const Var& x, std::span<const std::int32_t> numbers);

// Columns of several values side by side: (rows, a) and (rows, b) → (rows, a + b)
Var beside(Context& context, const Var& left, const Var& right);

}  // namespace heed::grad
