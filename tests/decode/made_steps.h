#pragma once

#include <cmath>

#include "heed/base/random.h"
#include "heed/decode/steps.h"

namespace heed::decode {

// A language model without weights: the scores of what follows are a function of everything that a
// sequence has read, so that a mistake in keeping or reordering shows.
class MadeSteps : public Steps {
 public:
  MadeSteps(Index sequences, Index vocabulary, std::uint64_t seed)
      : vocabulary_(vocabulary), seed_(seed) {
    for (Index i = 0; i < sequences; ++i) histories_.push_back(mix(seed, std::uint64_t(i)));
  }

  void next(std::span<const std::int32_t> tokens, std::span<const Index> counts,
            const Take& take) override {
    std::size_t at = 0;
    rows_ = std::max<Index>(rows_, std::ssize(counts));
    ++steps_;
    for (std::size_t s = 0; s < counts.size(); ++s) {
      for (Index i = 0; i < counts[s]; ++i) histories_[s] = after(histories_[s], tokens[at++]);
    }
    // Three rows at a time.
    for (std::size_t first = 0; first < histories_.size(); first += 3) {
      scores_.clear();
      const std::size_t end = std::min(histories_.size(), first + 3);
      for (std::size_t s = first; s < end; ++s) {
        const std::vector<float> row = scores(histories_[s], vocabulary_);
        scores_.insert(scores_.end(), row.begin(), row.end());
      }
      take(static_cast<Index>(first),
           {scores_.data(), {static_cast<Index>(end - first), vocabulary_}});
    }
  }

  void keep(std::span<const Index> sequences) override {
    std::vector<std::uint64_t> kept;
    for (const Index s : sequences) kept.push_back(histories_[static_cast<std::size_t>(s)]);
    histories_ = std::move(kept);
  }

  static std::uint64_t after(std::uint64_t history, std::int32_t token) {
    return mix(history, static_cast<std::uint64_t>(token) + 1);
  }
  static std::vector<float> scores(std::uint64_t history, Index vocabulary) {
    Random random(history);
    std::vector<float> row;
    for (Index i = 0; i < vocabulary; ++i) row.push_back(1.5f * random.normal());
    return row;
  }
  std::uint64_t seed() const { return seed_; }
  Index steps() const { return steps_; }

 private:
  Index vocabulary_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> histories_;
  std::vector<float> scores_;
  Index rows_ = 0, steps_ = 0;
};

}  // namespace heed::decode
