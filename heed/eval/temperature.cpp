#include "heed/eval/temperature.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr double kLeast = 0.1, kMost = 100.0;
constexpr int kSteps = 60;

double log_of(float probability) {
  constexpr float kSmallest = 1e-38f;
  return std::log(static_cast<double>(std::max(probability, kSmallest)));
}

// The mean over answers, with the truth smoothed as best_temperature() says.
double smoothed_loss(std::span<const Answered> answers, double temperature) {
  const auto count = static_cast<double>(answers.size());
  double total = 0.0;
  for (const Answered& answer : answers) {
    const auto classes = static_cast<double>(answer.probabilities.size());
    double all = 0.0, sum = 0.0;
    for (const float probability : answer.probabilities) {
      const double scaled = log_of(probability) / temperature;
      all += scaled;
      sum += std::exp(scaled);
    }
    const double truth =
        log_of(answer.probabilities[static_cast<std::size_t>(answer.truth)]) / temperature;
    const double others = classes > 1.0 ? (all - truth) / (classes - 1.0) : truth;
    total += std::log(sum) - ((count + 1.0) * truth + others) / (count + 2.0);
  }
  return total / count;
}

}  // namespace

Tempered::Tempered(float temperature, std::span<const float> probabilities)
    : temperature_(static_cast<double>(temperature)) {
  for (const float probability : probabilities)
    sum_ += std::exp(log_of(probability) / temperature_);
}

float Tempered::operator()(float probability) const {
  if (probability <= 0.0f) return 0.0f;
  return static_cast<float>(std::exp(log_of(probability) / temperature_) / sum_);
}

// In 1 / temperature the loss is convex, so it has one valley in log temperature too.
float best_temperature(std::span<const Answered> answers) {
  if (answers.empty()) return 1.0f;
  const double golden = (std::sqrt(5.0) - 1.0) / 2.0;
  double low = std::log(kLeast), high = std::log(kMost);
  const auto loss = [&](double at) { return smoothed_loss(answers, std::exp(at)); };
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double left_loss = loss(left), right_loss = loss(right);
  for (int step = 0; step < kSteps && high - low > 1e-4; ++step) {
    if (left_loss < right_loss) {
      high = right;
      right = left;
      right_loss = left_loss;
      left = high - golden * (high - low);
      left_loss = loss(left);
    } else {
      low = left;
      left = right;
      left_loss = right_loss;
      right = low + golden * (high - low);
      right_loss = loss(right);
    }
  }
  return static_cast<float>(std::exp((low + high) / 2.0));
}

}  // namespace heed
