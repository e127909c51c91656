#include "heed/model/input/distinct_words.h"

#include <algorithm>
#include <bit>

#include "heed/base/random.h"

namespace heed {

// A hash table with open addressing: `places` has the number of a word, or kFree.
DistinctWords distinct_words(Arena& arena, std::span<const std::int32_t> characters,
                             std::span<const std::int32_t> counts) {
  constexpr std::int32_t kFree = -1;
  const std::size_t rows = counts.size();
  const std::size_t size = std::bit_ceil(2 * rows + 1);
  const auto places = arena.array<std::int32_t>(static_cast<Index>(size));
  std::fill(places.begin(), places.end(), kFree);
  const auto words = arena.array<std::span<const std::int32_t>>(std::ssize(counts));
  const auto kept = arena.array<std::int32_t>(std::ssize(characters));
  const auto kept_counts = arena.array<std::int32_t>(std::ssize(counts));
  const auto numbers = arena.array<std::int32_t>(std::ssize(counts));
  std::size_t begin = 0, end = 0, found = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto word = characters.subspan(begin, static_cast<std::size_t>(counts[row]));
    begin += word.size();
    std::uint64_t hash = word.size();
    for (const std::int32_t character : word)
      hash = mix(hash, static_cast<std::uint64_t>(character));
    std::size_t place = hash & (size - 1);
    while (places[place] != kFree &&
           !std::ranges::equal(words[static_cast<std::size_t>(places[place])], word)) {
      place = (place + 1) & (size - 1);
    }
    if (places[place] == kFree) {
      places[place] = static_cast<std::int32_t>(found);
      words[found] = word;
      kept_counts[found++] = counts[row];
      std::copy(word.begin(), word.end(), kept.begin() + static_cast<std::ptrdiff_t>(end));
      end += word.size();
    }
    numbers[row] = places[place];
  }
  return {kept.first(end), kept_counts.first(found), numbers};
}

}  // namespace heed
