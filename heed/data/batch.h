#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

inline constexpr std::int32_t kNoAnswer = -1;

// One example, made ready for a model: what its rows are, and its answer where that is known.
struct Example {
  std::vector<std::int32_t> tokens;  // one index for each row
  std::vector<std::int32_t> grams;   // indices of the parts of each row's word, all rows' parts
  std::vector<std::int32_t> gram_counts;    // how many of them each row has; empty where not used
  std::vector<std::int32_t> letters;        // of each row's word, all rows' letters
  std::vector<std::int32_t> letter_counts;  // how many each row has; empty where not used
  std::vector<std::int32_t> clues;          // what speaks for a label by itself, each once
  std::vector<std::int32_t> clue_counts;    // how often each of them occurs
  std::int32_t label = kNoAnswer;           // of the whole sequence
  std::vector<std::int32_t> tags;           // of each row
};

// Examples put together: sequences one after another, nothing padded.
struct Batch {
  std::vector<Index> lengths;
  std::vector<std::int32_t> tokens, grams, gram_counts, tags;
  std::vector<std::int32_t> letters, letter_counts, clues, clue_counts;
  std::vector<Index> clue_lengths;  // how many of them each sequence has
  std::vector<std::int32_t> labels;

  Index sequences() const { return static_cast<Index>(lengths.size()); }
  Index rows() const { return static_cast<Index>(tokens.size()); }
  void add(const Example& example);
  void clear();
};

// Some sequences of a batch that follow each other, as one worker gets them.
class BatchPart {
 public:
  BatchPart(const Batch& batch, Index first, Index count);
  explicit BatchPart(const Batch& batch) : BatchPart(batch, 0, batch.sequences()) {}

  Index first() const { return first_; }  // the number of its first sequence in the batch
  Index sequences() const { return static_cast<Index>(lengths.size()); }
  const Batch& whole() const { return *batch_; }

  std::span<const Index> lengths;
  std::span<const std::int32_t> tokens, grams, gram_counts, tags, labels;
  std::span<const std::int32_t> letters, letter_counts, clues, clue_counts;
  std::span<const Index> clue_lengths;

 private:
  const Batch* batch_;
  Index first_;
};

// Puts examples of similar length together, up to so many rows a batch, in an order that is a
// function of the seed and the epoch alone.
struct BatcherOptions {
  Index rows = 4096;  // a single longer example is a batch of its own
  std::uint64_t seed = 1;
};

class Batcher {
 public:
  Batcher(std::vector<Index> lengths, const BatcherOptions& options)
      : lengths_(std::move(lengths)), options_(options) {}

  // The examples of each batch of an epoch, shuffled.
  std::vector<std::vector<Index>> epoch(Index number) const;
  // Every example once, shortest first, for evaluation.
  std::vector<std::vector<Index>> in_order() const;

 private:
  std::vector<std::vector<Index>> cut(const std::vector<Index>& order) const;

  std::vector<Index> lengths_;
  BatcherOptions options_;
};

}  // namespace heed
