#pragma once

#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// The probabilities of one answer, class by class, and which of them is true.
struct Answered {
  std::vector<float> probabilities;
  Index truth = 0;
};

// A probability p becomes p^(1/temperature), divided by the sum of all of its answer: above 1 they
// become less sure, below 1 surer. The order of the classes stays.
class Tempered {
 public:
  Tempered(float temperature, std::span<const float> probabilities);
  float operator()(float probability) const;

 private:
  double temperature_;
  double sum_ = 0.0;
};

// The temperature with the least log loss on answers that training has not seen (Guo et al. 2017).
// Of n answers the true class counts n + 1 in n + 2, the others share the rest (Platt 1999): two
// answers that happen to be right say little. Without answers it is 1.
float best_temperature(std::span<const Answered> answers);

}  // namespace heed
