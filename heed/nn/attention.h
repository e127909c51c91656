#pragma once

#include <optional>
#include <span>
#include <vector>

#include "heed/nn/key_value_cache.h"
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
  float value = 1.0f;    // scores are divided by it, before what positions add to them
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
  // Multi-scale attention (Guo et al. 2020): the most rows on each side that a head sees, for each
  // head; 0: any number. Dealt from the last head back, and again from the end of the list where
  // there are more heads. Empty: all heads see what the mask lets them.
  std::vector<Index> windows{};
  // Those that are added to vectors are added to queries and memory before they are projected.
  Position position = Position::kNone;
  Index longest =
      1024;  // positions that these and location scores know; the reach of relative ones
  float dropout = 0.0f;  // on the weights
  Linear::Bias bias = Linear::Bias::kLearned;
};

// Whether more rows than `longest`, a bank's and a cache's included, are an error.
inline bool is_limited(const AttentionOptions& options) {
  return options.score == Score::kLocation || added_to_input(options.position);
}

// The windows of all heads, with kernel::AttentionMask::kUnlimited for 0; none without `windows`.
std::vector<Index> head_windows(const AttentionOptions& options);

// What a call of attention may be given besides queries and memory.
struct AttentionExtras {
  // States from earlier segments, (rows, memory_width) for each sequence: they stand before the
  // memory, are attended to, and not differentiated through. With a cache the first call keeps
  // them.
  const Sequences* bank = nullptr;
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
  // Attention to another sequence. A causal or window mask then counts from the first row of both,
  // the bank's where there is one.
  Sequences operator()(Context& context, const Sequences& queries, const Sequences& memory,
                       const AttentionExtras& extras = {}) const;

  const AttentionOptions& options() const { return options_; }
  // Of self-attention over a sequence, only the pairs that the mask allows counted.
  double flops(Index rows) const;
  // Of attention to another sequence, all pairs counted.
  double flops(Index queries, Index memory) const;

 private:
  double flops(Index queries, Index memory, double pairs) const;
  struct Projected;
  bool fused() const;
  Sequences attend(Context& context, const Sequences& queries, const Sequences& memory,
                   const AttentionExtras& extras, bool self) const;
  void check(Context& context, const Sequences& queries, const Sequences& memory,
             const AttentionExtras& extras) const;
  void project(Context& context, Sequences queries, Sequences memory, Projected& p) const;
  void place(Context& context, Projected& p) const;
  void remember(Context& context, KeyValueCache& cache, bool adds, Projected& p) const;
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
  std::vector<Index> windows_;
  std::vector<float> slopes_;
  // Where positions are added to vectors; memory of another width has its own.
  std::optional<Positions> positions_, memory_positions_;
};

}  // namespace heed::nn
