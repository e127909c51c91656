#pragma once

#include "heed/kernel/attention.h"

namespace heed::kernel {

// The vector code of attention, on tiles: some queries by some keys. Row-major, `stride` floats
// from one query to the next; strides and key counts are multiples of 16.

// A score that may not be seen; 2 to its power is 0.
inline constexpr float kHiddenScore = -1e30f;
// The log-sum of a query that sees nothing: every weight becomes 0.
inline constexpr float kEmptyLogSum = 1e30f;

struct Tile {
  Index first_query, queries;
  Index first_key, keys;  // `keys` rounded up; those past the last key are hidden
  Index stride;
};

// to (padded_rows, columns) = scale · from, zeros past `rows`.
void pack_rows(Rows from, Index rows, Index columns, float scale, float* to, Index padded_rows);
// to (columns, padded_rows) = fromᵀ, zeros past `rows`.
void pack_transposed(Rows from, Index rows, Index columns, float* to, Index padded_rows);
// to = scale · from or to += scale · from, for rows of `columns` numbers.
void unpack_rows(const float* from, Index rows, Index columns, float scale, Rows to, Store store);

// scores (queries, count) = q (queries, depth) · rowsᵀ, for rows as they lie: for so few queries
// that packing the rows would take longer than the product.
void score_rows(const float* q, Index queries, Index depth, Rows rows, Index count, float* scores,
                Index stride);
// sums (queries, columns) += weights (queries, count) · rows, likewise.
void add_weighted_rows(const float* weights, Index stride, Index queries, Rows rows, Index count,
                       Index columns, float* sums);

// Adds the bias (times log₂ e) and hides what may not be seen.
void mask_scores(const AttentionHead& head, const Tile& tile, float* scores);

// Scores become unnormalised weights 2^(score − largest so far); sums and `largest` of each query
// are brought up to date, and `rescale` is what everything summed before must be multiplied by.
// Then dropout, which only zeroes: the factor 1 / (1 − rate) is left to the caller.
struct RunningSoftmax {
  float* largest;  // (queries), kHiddenScore at first
  float* sum;      // (queries), 0 at first
  float* rescale;  // (queries)
};
void softmax_tile(const AttentionHead& head, const Tile& tile, float* scores,
                  RunningSoftmax running);

// Scores become weights 2^(score − log_sum).
void weights_tile(const Tile& tile, const float* log_sums, float* scores);

// With weights p = 2^(score − log_sum) and dropout factors f = 0 or c:
//   scores become p f / c    dweights become the gradient of the scores, p (f dw − delta)
void score_gradient_tile(const AttentionHead& head, const Tile& tile, const float* log_sums,
                         const float* delta, float* scores, float* dweights);

// drelative += the gradients of the scores, by distance.
void relative_gradient_tile(const AttentionHead& head, const Tile& tile, const float* dscores,
                            float* drelative);

// Additive scores: q (queries, depth) packed, keys transposed (depth, key_stride), in log₂ units.
void additive_tile(const AttentionHead& head, const Tile& tile, const float* q,
                   const float* keys_transposed, Index key_stride, float* scores);
// dq (queries, depth), dkeys_transposed and da are added to.
void additive_gradient_tile(const AttentionHead& head, const Tile& tile, const float* q,
                            const float* keys_transposed, Index key_stride, const float* dscores,
                            float* dq, float* dkeys_transposed, float* da);

}  // namespace heed::kernel
