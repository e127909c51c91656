#pragma once

#include <span>

#include "heed/grad/context.h"

namespace heed::grad {

// What operations check before they compute; each failure is a ShapeError that names the operation,
// the argument, what was expected and what came.

inline void expect_shape(const char* operation, const char* name, const Var& var,
                         const Shape& shape) {
  if (var.shape() != shape) {
    fail<ShapeError>(operation, "expected {} of {}, got {}", name, shape.text(),
                     var.shape().text());
  }
}

inline void expect_matrix(const char* operation, const char* name, const Var& var) {
  if (var.shape().rank() != 2) {
    fail<ShapeError>(operation, "expected {} of (rows, columns), got {}", name, var.shape().text());
  }
}

// The rows of a batch must be those that its layout speaks of.
inline void expect_rows(const char* operation, const Sequences& sequences) {
  expect_matrix(operation, "rows", sequences.rows);
  if (sequences.rows.rows() != sequences.layout.rows()) {
    fail<ShapeError>(operation, "expected {} rows, as the layout of {} sequences says, got {}",
                     sequences.layout.rows(), sequences.layout.count(), sequences.rows.rows());
  }
}

inline void expect_not_empty(const char* operation, const Layout& layout) {
  if (layout.count() == 0) fail<ShapeError>(operation, "expected at least one sequence, got none");
  for (Index s = 0; s < layout.count(); ++s) {
    if (layout.length(s) == 0) {
      fail<ShapeError>(operation, "expected sequences of at least one row, sequence {} is empty",
                       layout.first() + s);
    }
  }
}

// Rows that are the last of longer sequences, of which `seen` has all.
inline void expect_last(const char* operation, const Layout& rows, const Layout& seen) {
  if (seen.count() != rows.count()) {
    fail<ShapeError>(operation, "expected positions for {} sequences, got {}", rows.count(),
                     seen.count());
  }
  for (Index s = 0; s < seen.count(); ++s) {
    if (seen.length(s) < rows.length(s)) {
      fail<ShapeError>(operation, "expected at least {} positions for sequence {}, got {}",
                       rows.length(s), rows.first() + s, seen.length(s));
    }
  }
}

inline void expect_ids(const char* operation, std::span<const std::int32_t> ids, Index bound) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= bound) {
      fail<ShapeError>(operation, "expected indices from 0 to {}, got {} at place {}", bound - 1,
                       ids[i], i);
    }
  }
}

}  // namespace heed::grad
