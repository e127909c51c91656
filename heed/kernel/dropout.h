#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/kernel/matmul.h"

namespace heed::kernel {

// Which numbers dropout keeps is a function of (key, row, column), never stored: backward asks
// again. `rate` 0 keeps everything.
struct Dropout {
  float rate = 0.0f;
  std::uint64_t key = 0;

  explicit operator bool() const { return rate > 0.0f; }
  // What kept numbers are multiplied by, so that the expectation stays.
  float keep_factor() const { return 1.0f / (1.0f - rate); }
  // The same dropout for one sequence of a batch, by its number in the whole batch.
  Dropout sequence(Index number) const {
    return {rate, mix(key, static_cast<std::uint64_t>(number))};
  }
};

// Writes the factors of one row: 0 where dropped, 1 / (1 − rate) where kept. `factors` must have
// room for `columns` rounded up to a multiple of kDropoutBlock. `first_column` is a multiple of it.
inline constexpr Index kDropoutBlock = 32;
void dropout_factors(const Dropout& dropout, Index row, Index first_column, Index columns,
                     Index row_columns, float* factors);

// y = scale · x · factor, or y += scale · x · factor.
void dropout_row(const Dropout& dropout, Index row, Index columns, const float* x, float* y,
                 float scale, Store store);

}  // namespace heed::kernel
