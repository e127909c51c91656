#pragma once

#include <atomic>
#include <vector>

#include "heed/model/model.h"

// What tests of training have in common.
namespace heed::test {

inline const std::atomic<bool> kNever = false;  // for runs that nobody stops

// All weights of a model, one after another.
inline std::vector<float> weights_of(const Model& model) {
  std::vector<float> weights;
  for (const Parameter& parameter : model.parameters()) {
    weights.insert(weights.end(), parameter.value.span().begin(), parameter.value.span().end());
  }
  return weights;
}

}  // namespace heed::test
