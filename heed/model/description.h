#pragma once

#include <string>
#include <vector>

#include "heed/model/config.h"

namespace heed {

// One step of a model and what it does to one example.
struct Step {
  std::string layer;     // "layer 1"; empty outside of a stack
  std::string name;      // "attention"
  Shape in, out;         // in has no sizes where the text itself comes in
  Index parameters = 0;  // numbers that were learned (or frozen)
  double flops = 0.0;    // 2 m n k for each product (m, k) · (k, n), the forward pass alone
  std::string note;      // "4 heads × 32, scaled-dot, residual"
};

// What happens to an example on its way through a model, step by step.
//
// Parameters are those of a Model made from the config, each counted at the step whose name it
// bears, so that their sum is the model's. FLOPs are those of matrix products, attention's two
// included, which is nearly all of the work; look-ups, norms and activations count nothing.
struct Description {
  Index length = 0;  // tokens of the example
  std::vector<Step> steps;
  Index parameters = 0;
  Index embedding_parameters = 0;  // of these in look-up tables, of which an example uses few
  double flops = 0.0;
};

// The longest example that a model reads, or with segments the longest piece of one.
Index longest_length(const Config& config);

// `length` is the example's, 0 meaning 128 or what fits. A length that the model does not read is a
// UsageError. Where a config has not met its data, the vocabulary counts in full, and of labels or
// tags there are two.
Description describe_model(const Config& config, Index length = 0);

// 25297920 → "25.3 M": three digits and k, M, G, T or P.
std::string short_count(double count);

}  // namespace heed
