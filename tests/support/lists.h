#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed::test {

using Numbers = std::vector<std::int32_t>;

// A span as a vector, which can be compared and printed.
template <typename T>
std::vector<T> list(std::span<const T> values) {
  return {values.begin(), values.end()};
}

}  // namespace heed::test
