#pragma once

#include <cstdint>
#include <span>

#include "heed/tensor/arena.h"

namespace heed {

// The different words among those of a batch, by their characters, so that each is looked at once:
// of 1,360 words of ewt half are repeated.
struct DistinctWords {
  std::span<const std::int32_t> characters;  // (Σ counts), all words' one after another
  std::span<const std::int32_t> counts;      // (words), characters of each
  std::span<const std::int32_t> numbers;     // (rows), which of the words a row is
};

// characters (Σ counts), counts (rows), those of all rows; the result lives in the arena.
DistinctWords distinct_words(Arena& arena, std::span<const std::int32_t> characters,
                             std::span<const std::int32_t> counts);

}  // namespace heed
