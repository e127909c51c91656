#pragma once

#include <span>

#include "heed/grad/context.h"

namespace heed::grad {

// y_i = scale · table[ids_i]:  ids (rows), table (vocabulary, width) → (rows, width)
//
// A sparse table's gradient is only the rows that were looked up, so a large vocabulary costs
// nothing per step.
Var embedding(Context& context, std::span<const std::int32_t> ids, const Parameter& table,
              float scale = 1.0f);

// y_i = the mean of table[ids of row i], 0 where a row has none: row i has the next counts_i of
// `ids`.
//   ids (Σ counts), counts (rows), table (entries, width) → (rows, width)
Var embedding_mean(Context& context, std::span<const std::int32_t> ids,
                   std::span<const std::int32_t> counts, const Parameter& table);

// y = x + scale · table[position of each row]; table (positions, width) constant or learned.
//
// Row i of sequence s has position seen.length(s) − x.layout.length(s) + i: rows may be the last of
// a longer sequence. A sequence longer than the table is a ShapeError.
Var add_positions(Context& context, const Sequences& x, const Layout& seen, const Var& table,
                  float scale = 1.0f);

// The rows of `table` by position, for each sequence: (rows of the layout, width).
Var positions(Context& context, const Layout& layout, const Var& table);

}  // namespace heed::grad
