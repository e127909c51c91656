#pragma once

#include "heed/model/wide/labelled_features.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Learns a linear SVM (L2-regularised, squared hinge loss, C = 1; liblinear's primal solver, which
// draws no random numbers) for each class against all others, and puts its weights into column c of
// `weights` (features, classes). False where it would take longer than `seconds`; the weights are
// of no use then. It is found sooner from the weights of nearly the same texts (`begin_with`, empty
// or of the same shape).
bool learn_svm(LabelledFeatures& texts, const Tensor& weights, int workers, double seconds,
               std::span<const float> begin_with = {});

}  // namespace heed
