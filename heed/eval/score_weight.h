#pragma once

#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// The scores (logits) that two parts of a model give the classes of one answer, and which is true.
struct PartScores {
  std::vector<float> first, second;
  Index truth = 0;
};

// What the second part's scores are to be multiplied by before they are added to the first's: b / a
// of the softmax(a · first + b · second) with the least log loss on answers that training has not
// seen. Few answers say little, so the logarithm of it is multiplied by n / (n + 100) for n of
// them. Between 0.01 and 100; 1 without answers.
float best_weight(std::span<const PartScores> answers);

}  // namespace heed
