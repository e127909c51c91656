#pragma once

#include "heed/grad/check.h"
#include "heed/grad/context.h"

namespace heed::grad {

// Kernels with dropout work on one sequence at a time, because random numbers are drawn by
// sequence. Calls body(job, first row) for each sequence, or once for all rows where there is no
// dropout. `Job` has the members rows and dropout.
template <typename Job, typename Body>
void for_each_part(Job job, const SequenceDropout& dropout, Index rows, Body body) {
  if (!dropout) {
    job.rows = rows;
    body(job, Index{0});
    return;
  }
  const Layout& layout = dropout.layout;
  for (Index s = 0; s < layout.count(); ++s) {
    job.rows = layout.length(s);
    job.dropout = dropout.dropout.sequence(layout.first() + s);
    body(job, layout.begin(s));
  }
}

// to = scale · dropout(from), or to += …, for all rows of a batch.
inline void apply_dropout(const SequenceDropout& dropout, Index columns, const float* from,
                          float* to, float scale, kernel::Store store) {
  const Layout& layout = dropout.layout;
  for (Index s = 0; s < layout.count(); ++s) {
    const kernel::Dropout part = dropout.dropout.sequence(layout.first() + s);
    for (Index row = 0; row < layout.length(s); ++row) {
      const Index at = (layout.begin(s) + row) * columns;
      kernel::dropout_row(part, row, columns, from + at, to + at, scale, store);
    }
  }
}

inline void expect_dropout(const char* operation, const SequenceDropout& dropout, Index rows) {
  if (dropout && dropout.layout.rows() != rows) {
    fail<ShapeError>(operation, "expected dropout for {} rows, got a layout of {}", rows,
                     dropout.layout.rows());
  }
}

}  // namespace heed::grad
