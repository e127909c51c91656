#pragma once

#include <string>
#include <vector>

#include "heed/model/config.h"

namespace heed {

// What happens to an example on its way through a model, step by step.
//
// Parameters are those of a Model made from the config, each counted at the step that it belongs
// to, so that their sum is the model's. FLOPs are those of matrix products, attention's two
// included, which is nearly all of the work; look-ups, norms and activations count nothing.
struct Description {
  ContentKind content = ContentKind::kText;  // what an example is
  Index length = 0;                          // its rows
  std::vector<PlanStep> steps;
  Index parameters = 0;
  Index embedding_parameters = 0;  // of these in look-up tables, of which an example uses few
  double flops = 0.0;
};

// The longest example that a model reads at a time; 0: any length.
Index longest_length(const Config& config);

// `length` is the example's, 0 meaning 128 or what fits. A length that the model does not read is a
// UsageError. Where a config has not met its data, vocabularies count in full, and there are two
// classes.
Description describe_model(const Config& config, Index length = 0);

// 25297920 → "25.3 M": three digits and k, M, G, T or P.
std::string short_count(double count);

}  // namespace heed
