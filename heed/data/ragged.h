#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// Values with lengths: items of different sizes, one after another in memory.
template <typename T>
class Ragged {
 public:
  // One more item.
  void add(std::span<const T> values) {
    values_.insert(values_.end(), values.begin(), values.end());
    close();
  }
  void clear() {
    values_.clear();
    lengths_.clear();
    begins_.assign(1, 0);
  }

  Index count() const { return static_cast<Index>(lengths_.size()); }
  std::span<const T> values() const { return values_; }        // of all items
  std::span<const Index> lengths() const { return lengths_; }  // of each item
  // The values of items [first, first + count).
  std::span<const T> part(Index first, Index count = 1) const {
    const auto begin = static_cast<std::size_t>(begins_[static_cast<std::size_t>(first)]);
    const auto end = static_cast<std::size_t>(begins_[static_cast<std::size_t>(first + count)]);
    return std::span<const T>(values_).subspan(begin, end - begin);
  }

  // Of the last item, only these values.
  void keep(Index first, Index count) {
    const Index begin = begins_[begins_.size() - 2];
    const auto from = values_.begin() + begin + first;
    std::copy(from, from + count, values_.begin() + begin);
    values_.resize(static_cast<std::size_t>(begin + count));
    lengths_.back() = count;
    begins_.back() = begin + count;
  }
  // Other values for the last item.
  void replace(std::span<const T> values) {
    keep(0, 0);
    values_.insert(values_.end(), values.begin(), values.end());
    lengths_.back() = static_cast<Index>(values.size());
    begins_.back() = static_cast<Index>(values_.size());
  }
  // The last item, to be changed in place.
  std::span<T> last() {
    return std::span(values_).subspan(static_cast<std::size_t>(begins_[begins_.size() - 2]));
  }

  // An item piece by piece: push its values, perhaps drop the last ones, then close it.
  void push(T value) { values_.push_back(value); }
  Index open() const { return static_cast<Index>(values_.size()) - begins_.back(); }
  void truncate(Index count) {
    values_.resize(static_cast<std::size_t>(begins_.back() + std::min(count, open())));
  }
  void close() {
    lengths_.push_back(open());
    begins_.push_back(static_cast<Index>(values_.size()));
  }
  // Of the item at hand, before it is closed.
  std::span<const T> pushed() const {
    return std::span<const T>(values_).subspan(static_cast<std::size_t>(begins_.back()));
  }
  // For whoever appends to an item by functions that take a vector; close() ends it as usual.
  std::vector<T>& buffer() { return values_; }

  std::size_t bytes() const {
    return values_.size() * sizeof(T) + 2 * lengths_.size() * sizeof(Index);
  }

 private:
  std::vector<T> values_;
  std::vector<Index> lengths_;
  std::vector<Index> begins_ = {0};  // of each item, and where the next one will begin
};

}  // namespace heed
