#pragma once

#include <cstdint>
#include <span>

#include "heed/tensor/arena.h"

namespace heed {

// The size of a picture, or of a part of one.
struct Extent {
  Index height = 1, width = 1;

  Index count() const { return height * width; }
  bool operator==(const Extent& other) const = default;
};

// Where each sequence of a ragged batch begins. A batch of sequences is the rows of all of them one
// after another; sequence s is rows begin(s) … end(s) − 1, and there is no padding.
//
// A handle: the offsets (one more than there are sequences, the first 0) belong to an arena or to
// the batch. `first` is the number of this part's first sequence in the whole batch: random numbers
// are drawn by that number, so that dropout does not depend on which worker got the sequence.
class Layout {
 public:
  Layout() = default;

  // Copies lengths into the arena. A negative length is a ShapeError.
  static Layout of(Arena& arena, std::span<const Index> lengths, Index first = 0);
  // `count` sequences of `length` rows each.
  static Layout uniform(Arena& arena, Index count, Index length, Index first = 0);

  Index count() const { return offsets_.empty() ? 0 : static_cast<Index>(offsets_.size()) - 1; }
  Index rows() const { return offsets_.empty() ? 0 : offsets_.back(); }
  Index begin(Index sequence) const { return offsets_[static_cast<std::size_t>(sequence)]; }
  Index end(Index sequence) const { return offsets_[static_cast<std::size_t>(sequence) + 1]; }
  Index length(Index sequence) const { return end(sequence) - begin(sequence); }
  Index first() const { return first_; }

  // Where the rows of each sequence are the lines of a picture one after another, each from left to
  // right, its size; otherwise 0 by 0. All pictures of a batch have one size.
  Extent grid() const { return grid_; }
  // The same rows as pictures. A sequence of another number of rows is a ShapeError.
  Layout as_grid(const Extent& grid) const;

  bool operator==(const Layout& other) const;

 private:
  std::span<const Index> offsets_;
  Index first_ = 0;
  Extent grid_{0, 0};
};

}  // namespace heed
