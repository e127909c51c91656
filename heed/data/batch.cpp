#include "heed/data/batch.h"

#include <algorithm>
#include <numeric>

#include "heed/base/random.h"

namespace heed {
namespace {

void append(std::vector<std::int32_t>& to, const std::vector<std::int32_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

template <typename T>
Index sum(std::span<const T> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), Index{0});
}

template <typename T>
std::span<const T> slice(const std::vector<T>& all, Index first, Index count) {
  if (all.empty()) return {};
  return std::span<const T>(all).subspan(static_cast<std::size_t>(first),
                                         static_cast<std::size_t>(count));
}

// Fisher and Yates.
template <typename T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[random.below(static_cast<std::uint32_t>(i))]);
  }
}

}  // namespace

void Batch::add(const Example& example) {
  lengths.push_back(static_cast<Index>(example.tokens.size()));
  append(tokens, example.tokens);
  append(grams, example.grams);
  append(gram_counts, example.gram_counts);
  append(letters, example.letters);
  append(letter_counts, example.letter_counts);
  append(clues, example.clues);
  append(clue_counts, example.clue_counts);
  clue_lengths.push_back(static_cast<Index>(example.clues.size()));
  append(tags, example.tags);
  labels.push_back(example.label);
}

void Batch::clear() {
  for (auto* list : {&lengths, &clue_lengths}) list->clear();
  for (auto* list : {&tokens, &grams, &gram_counts, &letters, &letter_counts, &clues, &clue_counts,
                     &tags, &labels}) {
    list->clear();
  }
}

BatchPart::BatchPart(const Batch& batch, Index first, Index count) : batch_(&batch), first_(first) {
  lengths = slice(batch.lengths, first, count);
  const Index row = sum(slice(batch.lengths, 0, first));
  const Index rows = sum(lengths);
  tokens = slice(batch.tokens, row, rows);
  tags = slice(batch.tags, row, rows);
  labels = slice(batch.labels, first, count);
  gram_counts = slice(batch.gram_counts, row, rows);
  grams = slice(batch.grams, sum(slice(batch.gram_counts, 0, row)), sum(gram_counts));
  letter_counts = slice(batch.letter_counts, row, rows);
  letters = slice(batch.letters, sum(slice(batch.letter_counts, 0, row)), sum(letter_counts));
  clue_lengths = slice(batch.clue_lengths, first, count);
  const Index clue = sum(slice(batch.clue_lengths, 0, first));
  clues = slice(batch.clues, clue, sum(clue_lengths));
  clue_counts = slice(batch.clue_counts, clue, sum(clue_lengths));
}

std::vector<std::vector<Index>> Batcher::cut(const std::vector<Index>& order) const {
  std::vector<std::vector<Index>> batches;
  Index rows = 0;
  for (const Index example : order) {
    const Index length = lengths_[static_cast<std::size_t>(example)];
    if (batches.empty() || rows + length > options_.rows) {
      batches.emplace_back();
      rows = 0;
    }
    batches.back().push_back(example);
    rows += length;
  }
  return batches;
}

std::vector<std::vector<Index>> Batcher::epoch(Index number) const {
  std::vector<Index> order(lengths_.size());
  std::iota(order.begin(), order.end(), Index{0});
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
    std::stable_sort(order.begin() + static_cast<Index>(begin),
                     order.begin() + static_cast<Index>(end), [this](Index a, Index b) {
                       return lengths_[static_cast<std::size_t>(a)] <
                              lengths_[static_cast<std::size_t>(b)];
                     });
    begin = end;
  }
  std::vector<std::vector<Index>> batches = cut(order);
  shuffle(batches, random);
  return batches;
}

std::vector<std::vector<Index>> Batcher::in_order() const {
  std::vector<Index> order(lengths_.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [this](Index a, Index b) {
    return lengths_[static_cast<std::size_t>(a)] < lengths_[static_cast<std::size_t>(b)];
  });
  return cut(order);
}

}  // namespace heed
