#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::decode {

// A network that writes sequences token by token: what a search needs of it. It keeps what it has
// read so far (keys and values), so that a step costs the same however long the sequences are,
// attention aside.
class Steps {
 public:
  virtual ~Steps() = default;

  // Takes the scores (logits) of what may follow some of the open sequences, those from number
  // `first` on: (some, vocabulary). They are gone when it returns.
  using Take = std::function<void(Index first, const Tensor& logits)>;

  // Reads the next tokens of the open sequences, counts[i] ≥ 1 of the i-th one after another:
  //   tokens (Σ counts), counts (sequences) → (sequences, vocabulary), given to `take` in order, so
  // many at a time as stay in the caches.
  virtual void next(std::span<const std::int32_t> tokens, std::span<const Index> counts,
                    const Take& take) = 0;
  // Keeps only these of the open sequences, in this order, each perhaps more than once.
  virtual void keep(std::span<const Index> sequences) = 0;
};

// What every search knows.
struct SearchOptions {
  std::int32_t begin = 0, end = 0;  // the token before the first, and that behind the last
  std::int32_t never = -1;          // a token that is not written, such as the unknown one
  // The most tokens of each sequence, the end not counted: a search always comes to an end.
  std::vector<Index> longest;
  // The tokens that each sequence begins with, read and not chosen; empty: none. They are not part
  // of what is written and do not count for `longest`.
  std::vector<std::vector<std::int32_t>> prompts;
};

// Reads the beginnings of all sequences, and gives the scores of their first tokens.
void read_beginnings(Steps& steps, const SearchOptions& options, const Steps::Take& take);
// One more token of each.
void read_tokens(Steps& steps, std::span<const std::int32_t> tokens, const Steps::Take& take);

// A sequence that was written, without its end.
struct Hypothesis {
  std::vector<std::int32_t> tokens;
  float log_probability = 0.0f;  // of all its tokens and of its end, where it has one
  float score = 0.0f;            // by which it is ranked
  bool ended = false;            // by the end, not by its length
};

// Several for each sequence, best first.
using Hypotheses = std::vector<std::vector<Hypothesis>>;

}  // namespace heed::decode
