#pragma once

#include <span>

#include "heed/grad/context.h"

namespace heed::grad {

// What may be copied: the tokens of sources, each with a vector that says when it is wanted.
struct CopySource {
  Sequences keys;                        // (tokens, depth)
  std::span<const std::int32_t> tokens;  // one for each key
  // Of each sequence of queries, which source is its own; empty: that of the same number. With
  // others than these there is no way back.
  std::span<const Index> of_query = {};
};

// Raises the scores of tokens that stand in the source (CopyNet, Gu et al. 2016): writing a token
// and copying it from any of its places are ways to the same token, in one softmax.
//   y[t, v] = ln(exp(logits[t, v]) + Σ exp(q_t · k_j / √depth)), over the places j of v
//   logits (rows, entries), queries (rows, depth) → (rows, entries)
Var copy_scores(Context& context, const Var& logits, const Sequences& queries,
                const CopySource& source);

}  // namespace heed::grad
