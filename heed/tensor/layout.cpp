#include "heed/tensor/layout.h"

#include <algorithm>

namespace heed {

Layout Layout::of(Arena& arena, std::span<const Index> lengths, Index first) {
  const auto offsets = arena.array<Index>(static_cast<Index>(lengths.size()) + 1);
  offsets[0] = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) {
      fail<ShapeError>("layout", "expected lengths of at least 0, got {} for sequence {}",
                       lengths[i], i);
    }
    offsets[i + 1] = offsets[i] + lengths[i];
  }
  Layout layout;
  layout.offsets_ = offsets;
  layout.first_ = first;
  return layout;
}

Layout Layout::uniform(Arena& arena, Index count, Index length, Index first) {
  if (count < 0) fail<ShapeError>("layout", "expected at least 0 sequences, got {}", count);
  const auto lengths = arena.array<Index>(count);
  std::fill(lengths.begin(), lengths.end(), length);
  return of(arena, lengths, first);
}

Layout Layout::as_grid(const Extent& grid) const {
  for (Index sequence = 0; sequence < count(); ++sequence) {
    if (length(sequence) == grid.count()) continue;
    fail<ShapeError>("layout", "expected {} rows for a picture of {} × {}, got {}", grid.count(),
                     grid.height, grid.width, length(sequence));
  }
  Layout layout = *this;
  layout.grid_ = grid;
  return layout;
}

bool Layout::operator==(const Layout& other) const {
  return std::equal(offsets_.begin(), offsets_.end(), other.offsets_.begin(), other.offsets_.end());
}

}  // namespace heed
