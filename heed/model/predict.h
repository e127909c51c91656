#pragma once

#include <span>

#include "heed/base/workers.h"
#include "heed/model/model.h"

namespace heed {

// What a model says about many examples, in their order, computed by all workers.
std::vector<Prediction> predict_all(const Model& model, std::span<const Example> examples,
                                    Workers& workers, Index top = 1);

}  // namespace heed
