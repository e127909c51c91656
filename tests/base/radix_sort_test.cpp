#include "heed/base/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "heed/base/random.h"

namespace heed {
namespace {

TEST(RadixSort, SortsAsTheStandardLibraryDoes) {
  Random random(1);
  std::vector<std::int32_t> scratch;
  for (const std::uint32_t bound : {1u, 200u, 70'000u, 0x7FFFFFFFu}) {
    for (const std::size_t count : {0u, 1u, 64u, 65u, 1000u}) {
      std::vector<std::int32_t> numbers;
      for (std::size_t i = 0; i < count; ++i) {
        numbers.push_back(static_cast<std::int32_t>(random.below(bound)));
      }
      std::vector<std::int32_t> expected = numbers;
      std::sort(expected.begin(), expected.end());
      radix_sort(numbers, scratch);
      EXPECT_EQ(numbers, expected) << count << " below " << bound;
    }
  }
}

TEST(RadixSort, TheLargestNumberComesLast) {
  std::vector<std::int32_t> numbers(100, 3), scratch;
  numbers.front() = std::numeric_limits<std::int32_t>::max();
  radix_sort(numbers, scratch);
  EXPECT_EQ(numbers.front(), 3);
  EXPECT_EQ(numbers.back(), std::numeric_limits<std::int32_t>::max());
}

}  // namespace
}  // namespace heed
