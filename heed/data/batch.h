#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "heed/data/ragged.h"

namespace heed {

// An answer that is not known, or that training has never seen.
inline constexpr std::int32_t kNoAnswer = -1;

// What one part of a model needs of each sequence: columns of integers and of numbers, an item for
// each sequence. Which column is what, the part knows that fills and reads them.
class Columns {
 public:
  // Column number `slot`; it is there once somebody asks for it.
  Ragged<std::int32_t>& integers(std::size_t slot) { return at(integers_, slot); }
  Ragged<float>& numbers(std::size_t slot) { return at(numbers_, slot); }
  // Reading an absent column gives an empty one.
  const Ragged<std::int32_t>& integers(std::size_t slot) const { return at(integers_, slot); }
  const Ragged<float>& numbers(std::size_t slot) const { return at(numbers_, slot); }

  // Appends one item of each column of `from` that has items.
  void append(const Columns& from, Index item);
  void clear();
  std::size_t bytes() const;

 private:
  template <typename T>
  static T& at(std::deque<T>& columns, std::size_t slot) {
    if (slot >= columns.size()) columns.resize(slot + 1);
    return columns[slot];
  }
  template <typename T>
  static const T& at(const std::deque<T>& columns, std::size_t slot) {
    static const T kNone;
    return slot < columns.size() ? columns[slot] : kNone;
  }

  // Deques: a column that is asked for first does not move the others.
  std::deque<Ragged<std::int32_t>> integers_;
  std::deque<Ragged<float>> numbers_;
};

// Sequences made ready for a model: one after another, nothing padded. A worker gets its part of a
// step's sequences as a Batch of its own.
struct Batch {
  std::vector<Index> lengths;  // rows of each sequence, as the input makes them
  Columns input, wide, answer;
  // Where these sequences are a part of a larger batch: the number of the first one there, by which
  // random numbers are drawn, and the weight of all answers there, by which losses are divided.
  Index first = 0;
  double whole_weight = 0.0;

  Index sequences() const { return static_cast<Index>(lengths.size()); }
  void append(const Batch& from, Index sequence);
  void clear();
  std::size_t bytes() const;
};

// Puts examples of similar length together, up to so many rows a batch, in an order that is a
// function of the seed and the epoch alone.
struct BatcherOptions {
  Index rows = 4096;  // a single longer example is a batch of its own
  std::uint64_t seed = 1;
};

class Batcher {
 public:
  // There may be many millions of examples: their numbers and lengths take four bytes each.
  using Numbers = std::vector<std::int32_t>;
  using Batches = std::vector<Numbers>;  // the examples of each

  Batcher(const std::vector<Index>& lengths, const BatcherOptions& options)
      : lengths_(lengths.begin(), lengths.end()), options_(options) {}

  // The examples of each batch of an epoch, shuffled.
  Batches epoch(Index number) const;
  // Every example once, shortest first, for evaluation.
  Batches in_order() const;

 private:
  Batches cut(const Numbers& order) const;

  Numbers lengths_;
  BatcherOptions options_;
};

}  // namespace heed
