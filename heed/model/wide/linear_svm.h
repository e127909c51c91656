#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/ragged.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Texts with labels as features and their values, an item for each text.
struct LabelledFeatures {
  Ragged<std::int32_t> features;
  Ragged<float> values;
  std::vector<std::int32_t> labels;
};

// Learns a linear SVM (L2-regularised, squared hinge loss, C = 1; liblinear's primal solver, which
// draws no random numbers) for each class against all others, and puts its weights into column c of
// `weights` (features, classes). False where it would take longer than `seconds`; the weights are
// of no use then.
bool learn_svm(const LabelledFeatures& texts, const Tensor& weights, int workers, double seconds);

}  // namespace heed
