#pragma once

#include <optional>
#include <span>
#include <vector>

#include "heed/grad/attention.h"
#include "heed/nn/linear.h"
#include "heed/nn/position.h"

namespace heed::nn {

// How well a key fits a query.
enum class Score {
  kScaledDot,  // q · k / √depth
  kDot,        // q · k
  kAdditive,   // Σ_d a_d tanh(q_d + k_d), a learned (Bahdanau et al. 2015)
  kBilinear,   // q W k, W learned for each head (Luong et al. 2015, "general")
  kCosine,     // the cosine of q and k: content-based
  kLocation,   // q · e_p, e learned for each position p: from the query alone
};

// Which rows a row may attend to. The parts combine freely.
struct Mask {
  bool causal = false;          // nothing after itself
  bool not_self = false;        // not itself
  std::optional<Index> before;  // at most so many before itself (truncated attention)
  std::optional<Index> after;   // at most so many after itself
};

enum class HeadJoin { kConcatenate, kAverage };

struct Temperature {
  float value = 1.0f;    // scores are divided by it
  bool learned = false;  // one for each head, beginning at `value`
};

struct AttentionOptions {
  Index width = 0;  // of the queries that come in, and of what goes out
  Index heads = 1;
  Index memory_width = 0;  // of what is attended to; 0: as `width`
  Index value_width = 0;   // of all heads' values together; 0: as `width`
  Score score = Score::kScaledDot;
  Temperature temperature{};
  HeadJoin join = HeadJoin::kConcatenate;
  Index memory_slots = 0;  // learned rows that everybody may attend to
  Mask mask{};
  Position position = Position::kNone;  // rotary, ALiBi or relative; others happen elsewhere
  Index longest = 1024;  // positions that location scores know; the reach of relative positions
  float dropout = 0.0f;  // on the weights
  Linear::Bias bias = Linear::Bias::kLearned;
};

// Keys and values of the rows so far, for generating row by row. In self-attention each call adds
// its own rows and attends to all; in attention to another sequence the first call keeps that
// sequence, and later ones do not look at what they are given as memory. For evaluation; lives
// outside the context and grows with the sequence.
class KeyValueCache {
 public:
  // Before the first call, and to begin anew.
  void clear() { sequences_.clear(); }
  Index length(Index sequence) const;
  // Keeps only these sequences, in this order, each perhaps more than once: beam search.
  void reorder(std::span<const Index> sequences);

 private:
  friend class MultiHeadAttention;
  Index asked(Index sequence) const;
  struct Rows {
    std::vector<float> keys, values;
    Index count = 0;
    Index queries = 0;  // rows that have asked: where the next one stands
  };
  std::vector<Rows> sequences_;
};

// What a call of attention may be given besides queries and memory.
struct AttentionExtras {
  const Sequences* bank = nullptr;  // states from earlier segments, (rows, memory_width) for each
                                    // sequence: attended to, not differentiated through
  KeyValueCache* cache = nullptr;
  std::span<const std::uint8_t> hidden{};  // (memory rows), 1 at padding that nobody may look at
};

// Multi-head attention over a ragged batch.
//
//   queries (rows, width) and memory (memory rows, memory_width) → (rows, width)
//
// Every query row attends to the rows of its own sequence in `memory`; with memory == queries this
// is self-attention. Thread-compatible: const, all scratch lives in the Context.
// Parameters: q, k, v and out, each weight and bias, and those of the options used.
class MultiHeadAttention {
 public:
  MultiHeadAttention(const Scope& scope, const AttentionOptions& options);

  // Self-attention.
  Sequences operator()(Context& context, const Sequences& x,
                       const AttentionExtras& extras = {}) const;
  // Attention to another sequence. A causal or window mask then counts from the first row of both.
  Sequences operator()(Context& context, const Sequences& queries, const Sequences& memory,
                       const AttentionExtras& extras = {}) const;

  const AttentionOptions& options() const { return options_; }

 private:
  struct Projected;
  bool fused() const;
  Sequences attend(Context& context, const Sequences& queries, const Sequences& memory,
                   const AttentionExtras& extras, bool self) const;
  void project(Context& context, const Sequences& queries, const Sequences& memory,
               Projected& p) const;
  void place(Context& context, Projected& p) const;
  void recall(Context& context, KeyValueCache& cache, Projected& p) const;
  void weigh(Context& context, Projected& p) const;
  grad::AttentionCall call(Context& context, const Projected& p) const;

  AttentionOptions options_;
  Index depth_, value_depth_;
  std::optional<StackedLinear> stacked_;  // q, k, v of one shape
  std::optional<Linear> q_, k_, v_;       // where the shapes differ
  std::optional<Linear> out_;
  const Parameter* additive_ = nullptr;         // (heads, depth)
  const Parameter* bilinear_ = nullptr;         // (heads, depth, depth)
  const Parameter* location_ = nullptr;         // (longest, heads · depth)
  const Parameter* relative_ = nullptr;         // (heads, 2 · longest + 1)
  const Parameter* log_temperature_ = nullptr;  // (heads)
  const Parameter* slot_keys_ = nullptr;        // (memory_slots, heads · depth)
  const Parameter* slot_values_ = nullptr;      // (memory_slots, heads · value depth)
  std::vector<float> slopes_;
};

}  // namespace heed::nn
