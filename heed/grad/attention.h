#pragma once

#include <span>
#include <vector>

#include "heed/grad/context.h"
#include "heed/kernel/attention.h"

namespace heed::grad {

// Some columns of a value: `heads · depth` of them from `begin`. Queries, keys and values may be
// parts of one projection.
struct Columns {
  Var var;
  Index begin = 0;
};

// Keys and values of one sequence that lie where a cache keeps them, row after row: (keys,
// heads · depth) and (keys, heads · value_depth).
struct KeptRows {
  float* keys = nullptr;
  float* values = nullptr;
};

// Where queries stand among the positions of the keys.
enum class Align {
  kEnd,    // the last query is at the last key: self-attention, also with rows kept from before
  kStart,  // both count from 0: another sequence is attended to
};

// One call of multi-head attention over a ragged batch. Each query row attends to key rows of the
// sequence with the same number.
struct AttentionCall {
  Columns queries, keys, values;  // (query rows, …), (key rows, …), (key rows, …)
  Layout query_layout, key_layout;
  // (sequences): in place of `keys` and `values`, for evaluation; or empty.
  std::span<const KeptRows> kept{};
  Layout query_positions{};  // kStart: all queries so far, these being the last; or none
  Index heads = 1, depth = 0, value_depth = 0;
  float scale = 1.0f;
  Var additive;  // (heads, depth): scores are Σ_d a_d tanh(q_d + k_d); empty for dot products

  kernel::AttentionMask mask;  // slots, before, after, not_self; the rest is filled in
  Align align = Align::kEnd;
  std::span<const std::uint8_t> hidden{};  // (key rows), 1 where nobody may look; or empty
  std::span<const Index> windows{};        // (heads), the most rows on each side; or empty
  std::span<const float> slopes{};         // (heads), ALiBi; or empty
  Var relative{};                          // (heads, 2 · reach + 1); or empty
  kernel::Dropout dropout{};               // on the weights
};

// → (query rows, heads · value_depth). What the spans show is copied: they may go after the call.
Var attention(Context& context, const AttentionCall& call);

}  // namespace heed::grad

namespace heed {

// Collects what is needed to show attention weights, when somebody asks: set context.trace before a
// forward pass, read weights before the context's next begin(). Costs a few pointers per call.
class AttentionTrace {
 public:
  // The calls of attention in the pass so far, in order: a model's layers, first to last.
  Index calls() const { return static_cast<Index>(calls_.size()); }
  Index heads(Index call) const;
  Index queries(Index call, Index sequence) const;
  Index keys(Index call, Index sequence) const;

  // The weights of query rows first_row … first_row + rows − 1 of one sequence, in one head:
  // rows · keys numbers. They are computed by the kernel that computed the result.
  std::vector<float> weights(Index call, Index sequence, Index head, Index first_row,
                             Index rows) const;
  // Of all query rows.
  std::vector<float> weights(Index call, Index sequence, Index head) const;

  void clear() { calls_.clear(); }

 private:
  friend Var grad::attention(Context&, const grad::AttentionCall&);
  struct Call {
    grad::AttentionCall call;
    const float* log_sums;
  };
  const Call& at(Index call) const;
  const Call& at(Index call, Index sequence, Index head) const;

  std::vector<Call> calls_;
};

}  // namespace heed
