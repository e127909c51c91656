#pragma once

#include <vector>

#include "heed/grad/context.h"
#include "tests/reference/matrix.h"

namespace heed::test {

inline Layout layout_of(Context& context, const std::vector<Index>& lengths) {
  return Layout::of(context.arena(), lengths);
}

inline Index total(const std::vector<Index>& lengths) {
  Index sum = 0;
  for (const Index length : lengths) sum += length;
  return sum;
}

// The factors that dropout draws, asked of the kernel: what they are is proved elsewhere, and that
// they are used rightly in value and gradient is proved with them.
inline std::vector<double> dropout_factors(const kernel::Dropout& dropout,
                                           const std::vector<Index>& lengths, Index columns) {
  std::vector<double> factors;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    std::vector<float> row(static_cast<std::size_t>(columns) + kernel::kDropoutBlock);
    for (Index i = 0; i < lengths[s]; ++i) {
      kernel::dropout_factors(dropout.sequence(static_cast<Index>(s)), i, 0, columns, columns,
                              row.data());
      factors.insert(factors.end(), row.begin(), row.begin() + columns);
    }
  }
  return factors;
}

// What Context::dropout() gives the first operation that asks, in check_operation's context.
inline kernel::Dropout first_dropout(float rate, std::uint64_t seed = 17) {
  Context context;
  context.begin(Mode::kTrain, nullptr, {seed, 3});
  return context.dropout(rate);
}

}  // namespace heed::test
