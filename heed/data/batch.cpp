#include "heed/data/batch.h"

#include <algorithm>
#include <numeric>

#include "heed/base/random.h"

namespace heed {

void Columns::append(const Columns& from, Index item) {
  // A column without items is absent: it is there only because one with a higher number is.
  for (std::size_t i = 0; i < from.integers_.size(); ++i) {
    if (from.integers_[i].count() > 0) integers(i).add(from.integers_[i].part(item));
  }
  for (std::size_t i = 0; i < from.numbers_.size(); ++i) {
    if (from.numbers_[i].count() > 0) numbers(i).add(from.numbers_[i].part(item));
  }
}

void Columns::clear() {
  for (auto& column : integers_) column.clear();
  for (auto& column : numbers_) column.clear();
}

std::size_t Columns::bytes() const {
  std::size_t sum = 0;
  for (const auto& column : integers_) sum += column.bytes();
  for (const auto& column : numbers_) sum += column.bytes();
  return sum;
}

void Batch::append(const Batch& from, Index sequence) {
  lengths.push_back(from.lengths[static_cast<std::size_t>(sequence)]);
  input.append(from.input, sequence);
  wide.append(from.wide, sequence);
  answer.append(from.answer, sequence);
}

void Batch::clear() {
  lengths.clear();
  input.clear();
  wide.clear();
  answer.clear();
  first = 0;
  whole_weight = 0.0;
}

std::size_t Batch::bytes() const {
  return lengths.size() * sizeof(Index) + input.bytes() + wide.bytes() + answer.bytes();
}

Batcher::Batches Batcher::cut(const Numbers& order) const {
  Batches batches;
  for (auto begin = order.begin(), end = begin; begin != order.end(); begin = end) {
    Index rows = 0;
    while (end != order.end()) {
      const Index length = lengths_[static_cast<std::size_t>(*end)];
      if (end != begin && rows + length > options_.rows) break;
      rows += length;
      ++end;
    }
    batches.emplace_back(begin, end);
  }
  return batches;
}

Batcher::Batches Batcher::epoch(Index number) const {
  Numbers order(lengths_.size());
  std::iota(order.begin(), order.end(), 0);
  Random random(mix(options_.seed, static_cast<std::uint64_t>(number)));
  shuffle(order, random);
  // Sorting a stretch of about fifty batches at a time keeps lengths similar within a batch and
  // batches different from epoch to epoch.
  std::size_t begin = 0;
  while (begin < order.size()) {
    Index rows = 0;
    std::size_t end = begin;
    while (end < order.size() && rows < 50 * options_.rows) {
      rows += lengths_[static_cast<std::size_t>(order[end++])];
    }
    std::stable_sort(
        order.begin() + static_cast<Index>(begin), order.begin() + static_cast<Index>(end),
        [this](std::int32_t a, std::int32_t b) {
          return lengths_[static_cast<std::size_t>(a)] < lengths_[static_cast<std::size_t>(b)];
        });
    begin = end;
  }
  Batches batches = cut(order);
  shuffle(batches, random);
  return batches;
}

Batcher::Batches Batcher::in_order() const {
  Numbers order(lengths_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](std::int32_t a, std::int32_t b) {
    return lengths_[static_cast<std::size_t>(a)] < lengths_[static_cast<std::size_t>(b)];
  });
  return cut(order);
}

}  // namespace heed
