#include "heed/base/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace heed {
namespace {

constexpr int kDigitBits = 8;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kFew = 64;  // up to so many std::sort is as fast

std::size_t digit_of(std::int32_t number, int shift) {
  return static_cast<std::uint32_t>(number) >> shift & (kDigits - 1);
}

}  // namespace

void radix_sort(std::vector<std::int32_t>& numbers, std::vector<std::int32_t>& scratch) {
  if (numbers.size() <= kFew) {
    std::sort(numbers.begin(), numbers.end());
    return;
  }
  std::uint32_t used = 0;  // bits
  for (const std::int32_t number : numbers) used |= static_cast<std::uint32_t>(number);
  scratch.resize(numbers.size());
  for (int shift = 0; shift < static_cast<int>(std::bit_width(used)); shift += kDigitBits) {
    std::array<std::uint32_t, kDigits>
        places{};  // how many of each digit, then where the next goes
    for (const std::int32_t number : numbers) ++places[digit_of(number, shift)];
    std::uint32_t before = 0;
    for (std::uint32_t& place : places) {
      const std::uint32_t count = place;
      place = before;
      before += count;
    }
    for (const std::int32_t number : numbers) scratch[places[digit_of(number, shift)]++] = number;
    numbers.swap(scratch);
  }
}

}  // namespace heed
