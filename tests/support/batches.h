#pragma once

#include <vector>

#include "heed/base/random.h"
#include "heed/grad/context.h"
#include "tests/support/layouts.h"

namespace heed::test {

inline std::vector<float> random_numbers(Index count, std::uint64_t seed, float deviation = 1.0f) {
  Random random(mix(seed));
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = deviation * random.normal();
  return numbers;
}

inline Tensor random_tensor(Context& context, const Shape& shape, std::uint64_t seed = 1) {
  const std::vector<float> numbers = random_numbers(shape.count(), seed);
  const Tensor tensor = context.arena().tensor(shape);
  std::copy(numbers.begin(), numbers.end(), tensor.data);
  return tensor;
}

// A ragged batch of standard normal numbers, as a constant.
inline Sequences random_sequences(Context& context, const std::vector<Index>& lengths, Index width,
                                  std::uint64_t seed = 1) {
  return {{random_tensor(context, {total(lengths), width}, seed), -1}, layout_of(context, lengths)};
}

// Moves every parameter off its beginning, so that zeros and ones hide nothing.
inline void shake(const Parameters& parameters, std::uint64_t seed, float deviation = 0.1f) {
  for (const Parameter& parameter : parameters) {
    const auto numbers = random_numbers(parameter.value.count(),
                                        mix(seed, static_cast<std::uint64_t>(parameter.number)));
    for (Index i = 0; i < parameter.value.count(); ++i) {
      parameter.value[i] += deviation * numbers[static_cast<std::size_t>(i)];
    }
  }
}

// Σ w y for random weights w: a loss in which every number of y counts differently.
inline Tensor random_weights(Context& context, const Var& y, std::uint64_t seed) {
  return random_tensor(context, y.shape(), mix(seed, 77));
}

inline double weighted_sum(const Var& y, const Tensor& weights) {
  double sum = 0.0;
  for (Index i = 0; i < y.value.count(); ++i) {
    sum += static_cast<double>(weights[i]) * static_cast<double>(y.value[i]);
  }
  return sum;
}

}  // namespace heed::test
