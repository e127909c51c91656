#include "heed/model/output/answers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/kernel/rows.h"

namespace heed {

std::vector<Answer> best_answers(std::span<const float> logits, Index top) {
  const auto classes = static_cast<Index>(logits.size());
  const kernel::LogSum sum = kernel::log_sum(classes, logits.data());
  std::vector<std::int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const Index count = std::clamp<Index>(top, 1, classes);
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      const float x = logits[static_cast<std::size_t>(a)];
                      const float y = logits[static_cast<std::size_t>(b)];
                      return x != y ? x > y : a < b;
                    });
  std::vector<Answer> answers;
  for (Index i = 0; i < count; ++i) {
    const std::int32_t index = order[static_cast<std::size_t>(i)];
    const float score = logits[static_cast<std::size_t>(index)];
    answers.push_back({index, std::exp(score - sum.largest) / sum.sum});
  }
  return answers;
}

float total_weight(std::span<const std::int32_t> answers, std::span<const float> class_weights) {
  double total = 0.0;
  for (const std::int32_t answer : answers) {
    if (answer == kNoAnswer) continue;
    total += class_weights.empty() ? 1.0 : class_weights[static_cast<std::size_t>(answer)];
  }
  return static_cast<float>(total);
}

}  // namespace heed
