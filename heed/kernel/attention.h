#pragma once

#include <cstdint>

#include "heed/kernel/dropout.h"
#include "heed/kernel/matmul.h"
#include "heed/tensor/arena.h"

namespace heed::kernel {

// Some columns of a row-major matrix: row i begins at data + i · stride.
struct Rows {
  float* data = nullptr;
  Index stride = 0;
};

// Which keys a query may see. Keys begin with `slots` memory slots, which have no position and are
// always visible; key slots + p has position p, and query i has position first_query + i.
struct AttentionMask {
  static constexpr Index kUnlimited = Index{1} << 40;

  Index slots = 0;
  Index first_query = 0;
  Index before = kUnlimited;  // sees positions from its own − before …
  Index after = kUnlimited;   // … to its own + after; causal is after = 0
  bool not_self = false;
  const std::uint8_t* hidden = nullptr;  // (keys), 1 where nobody may look: padding
};

// What is added to a score for the distance between the positions of key and query.
struct AttentionBias {
  float slope = 0.0f;               // ALiBi: −slope · |distance|
  const float* relative = nullptr;  // (2 · reach + 1), at clip(key − query, ±reach) + reach
  Index reach = 0;
};

// One head of one sequence: every query row attends to every key row that it may see.
//
//   score (i, j) = scale · q_i · k_j  + bias       (or Σ_d a_d tanh(q_id + k_jd) + bias, additive)
//   out_i = Σ_j dropout(softmax_j(score_ij)) v_j
//
// A query that may see nothing gets zeros. The weights are never held as a whole: tiles of them are
// computed, used and forgotten, and backward computes them again from one log-sum for each query.
struct AttentionHead {
  Index queries = 0, keys = 0;
  Index depth = 0, value_depth = 0;
  Rows q, k, v;
  float scale = 1.0f;
  const float* additive = nullptr;  // (depth): a, for additive scores; `scale` multiplies a
  AttentionMask mask;
  AttentionBias bias;
  Dropout dropout;
};

// log_sums (queries): log₂ Σ 2^score, each score in units of log₂ e.
void attention_forward(const AttentionHead& head, Arena& scratch, Rows out, float* log_sums);

// Where gradients go. dq, dk and dv share one Store; the others are added to and may be null.
struct AttentionGradients {
  Rows dq, dk, dv;
  Store dq_store = Store::kOverwrite, dk_store = Store::kOverwrite, dv_store = Store::kOverwrite;
  float* drelative = nullptr;
  float* dadditive = nullptr;
};

void attention_backward(const AttentionHead& head, Arena& scratch, Rows out, Rows dout,
                        const float* log_sums, const AttentionGradients& gradients);

// The weights of some query rows, (rows, keys), without dropout, from the same tiles as above.
void attention_weights(const AttentionHead& head, Arena& scratch, const float* log_sums,
                       Index first_row, Index rows, float* weights);

}  // namespace heed::kernel
