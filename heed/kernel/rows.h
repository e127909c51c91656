#pragma once

#include <cstdint>
#include <span>

#include "heed/kernel/matmul.h"

namespace heed::kernel {

// Plain arithmetic on rows of numbers. The rows do not overlap, except where said to be in place.

// y = a · x, or y += a · x
void scale(Index count, float a, const float* x, float* y, Store store);
// y = x + a · z
void add_scaled(Index count, const float* x, float a, const float* z, float* y);
// y = keep · y + (1 − keep) · x
void blend(Index count, float keep, const float* x, float* y);
// y = x ⊙ z, or y += x ⊙ z
void multiply(Index count, const float* x, const float* z, float* y, Store store);
// y = a · Σ of the rows of a table that `ids` name, each `width` long; no ids: 0
void sum_rows(Index width, const float* table, std::span<const std::int32_t> ids, float a,
              float* y);
// y = Σ weightᵢ · row idᵢ of the table; no ids: 0
void sum_rows(Index width, const float* table, std::span<const std::int32_t> ids,
              std::span<const float> weights, float* y);
// Row idᵢ of the table += weightᵢ · x
void add_to_rows(Index width, const float* x, std::span<const std::int32_t> ids,
                 std::span<const float> weights, float* table);
// y = Σ x, of at least one
void sum(Index count, std::span<const float* const> x, float* y);
// Rows of heads, each of 2 · half columns: the pair (x₁, x₂) = (d, d + half) of each head becomes
//   (c x₁ − s x₂, s x₁ + c x₂), or back: (c x₁ + s x₂, −s x₁ + c x₂)
// with c and s from row i of `cosine` and `sine` (rows, half) for row i. In place is fine.
struct TurnJob {
  Index rows, heads, half;
  bool back;
};
struct TurnedRows {
  const float* from;
  float* to;
  Index stride;  // from one row to the next, in both
};
void turn_heads(const TurnJob& job, const float* cosine, const float* sine, const TurnedRows& rows,
                Store store);
float dot(Index count, const float* x, const float* y);
// Σ x², accumulated in double over blocks of 256.
double sum_of_squares(Index count, const float* x);
bool all_finite(Index count, const float* x);

// The largest of x, Σ exp(x − largest), in one row. count ≥ 1.
struct LogSum {
  float largest, sum;
};
LogSum log_sum(Index count, const float* x);
// Σ exp(x − largest).
float exp_sum(Index count, const float* x, float largest);
// The largest of each block of so many numbers; the last block may have fewer.
inline constexpr Index kMaximaBlock = 64;
void block_maxima(Index count, const float* x, float* maxima);
// y = a · exp(x + shift), or y += …; in place is fine.
void exp_row(Index count, const float* x, float shift, float a, float* y, Store store);

// One step of AdamW on `count` numbers (decoupled weight decay, Loshchilov & Hutter 2019):
//   m = β₁ m + (1 − β₁) g      v = β₂ v + (1 − β₂) g²
//   w = w · (1 − rate · decay) − rate / c₁ · m / (√(v / c₂) + ε)
// with c₁ = 1 − β₁ᵗ, c₂ = 1 − β₂ᵗ; `gradient_scale` multiplies g first (clipping).
struct AdamWStep {
  float rate, beta1, beta2, epsilon, decay;
  float correction1, correction2;
  float gradient_scale;
};
void adamw(Index count, const AdamWStep& step, const float* gradient, float* weights, float* mean,
           float* square);

// One step of SGD with momentum, as PyTorch has it: v = μ v + g + decay · w; w −= rate · v, or with
// Nesterov's look-ahead w −= rate · (g + decay · w + μ v).
struct SgdStep {
  float rate, momentum, decay;
  bool nesterov;
  float gradient_scale;
};
void sgd(Index count, const SgdStep& step, const float* gradient, float* weights, float* velocity);

}  // namespace heed::kernel
