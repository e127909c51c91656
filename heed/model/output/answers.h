#pragma once

#include "heed/model/parts.h"

namespace heed {

// The `top` most likely classes of one row of scores, best first, with their probabilities.
std::vector<Answer> best_answers(std::span<const float> logits, Index top);

// The weight of all answers of a whole batch: what a loss is divided by.
float total_weight(std::span<const std::int32_t> answers, std::span<const float> class_weights);

}  // namespace heed
