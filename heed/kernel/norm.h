#pragma once

#include "heed/kernel/dropout.h"
#include "heed/kernel/matmul.h"

namespace heed::kernel {

enum class Norm { kLayer, kRms };

// y = gain · (z − mean) / √(variance + ε) + bias   (layer norm)
// y = gain · z / √(mean of squares + ε)             (RMS norm, no bias)
// where z = x, or x + dropout(branch) with a residual branch.
struct NormJob {
  Norm norm = Norm::kLayer;
  Index rows = 0, columns = 0;
  const float* gain = nullptr;
  const float* bias = nullptr;  // null for RMS norm
  float epsilon = 1e-5f;
  Dropout dropout;
};

// Of each row: mean (0 for RMS norm) and 1 / √(…).
struct NormStatistics {
  float* mean;
  float* scale;
};

// With a branch, z is written to `z`; without, `branch` and `z` are null and z is x.
void norm_forward(const NormJob& job, const float* x, const float* branch, float* z, float* y,
                  NormStatistics statistics);

// Where the gradients go; any may be null.
struct NormGradients {
  float* dx;
  Store dx_store;
  float* dbranch;
  Store dbranch_store;
  float* dgain;  // added to
  float* dbias;  // added to
};

void norm_backward(const NormJob& job, const float* z, NormStatistics statistics, const float* dy,
                   const NormGradients& gradients);

}  // namespace heed::kernel
