#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// Vectors that layers make of weights and of a few numbers, kept for as long as no weight changes
// (Context::keep_weights): those of words, when a model answers. Each has an index, below kMost,
// and is found again only with the numbers that it was made of. For one thread.
class KeptVectors {
 public:
  // Of width 128 the vectors of so many words take about 10 MB, and what these add to their
  // neighbours in a convolution over three 25 MB.
  static constexpr Index kMost = 16384;

  // Begins to load what find() will want soon, best so many calls ahead.
  void prefetch(Index index) const;
  static constexpr std::size_t kAhead = 8;
  // The vector with this index that was made of these numbers; null where there is none.
  const float* find(Index index, std::span<const std::int32_t> made_of) const;
  // Unless there is one with this index: the first stays. Returns whether this one is kept.
  bool keep(Index index, std::span<const std::int32_t> made_of, std::span<const float> vector);

  std::size_t memory() const { return bytes_; }

 private:
  struct Entry {
    std::size_t numbers = 0;         // that it was made of
    std::unique_ptr<float[]> block;  // their bits, then the vector; null: there is none
  };
  std::vector<Entry> entries_;
  std::size_t bytes_ = 0;
};

}  // namespace heed
