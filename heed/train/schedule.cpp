#include "heed/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {

namespace {

float rate_of(const ScheduleOptions& options, double warmup, double step) {
  const auto steps = static_cast<double>(options.steps);
  if (!(warmup >= 0.0 && steps >= warmup && step >= 0.0)) {
    fail<UsageError>("schedule", "expected 0 ≤ warm-up ≤ steps and step ≥ 0, got {}, {} and {}",
                     warmup, options.steps, step);
  }
  if (!(options.rate >= 0.0f && options.floor >= 0.0f && std::isfinite(options.rate) &&
        std::isfinite(options.floor))) {
    fail<UsageError>("schedule", "expected a rate and a floor of at least 0, got {} and {}",
                     options.rate, options.floor);
  }
  const double growing = std::floor(warmup);  // whole steps
  if (step + 1.0 < growing) return options.rate * static_cast<float>((step + 1.0) / growing);
  const double all = std::max(1.0, steps - warmup);
  const double done = std::clamp((step - warmup) / all, 0.0, 1.0);
  const double range = options.rate - options.floor;
  switch (options.kind) {
    case Schedule::kConstant:
      return options.rate;
    case Schedule::kCosine:
      return static_cast<float>(options.floor +
                                range * 0.5 * (1.0 + std::cos(std::numbers::pi * done)));
    case Schedule::kLinear:
      return static_cast<float>(options.floor + range * (1.0 - done));
    case Schedule::kInverseSquareRoot: {
      const double from = std::max(1.0, warmup);
      return static_cast<float>(options.rate * std::sqrt(from / std::max(from, step)));
    }
  }
  return options.rate;
}

}  // namespace

float learning_rate(const ScheduleOptions& options, Index step) {
  return rate_of(options, static_cast<double>(options.warmup), static_cast<double>(step));
}

float learning_rate_at(const ScheduleOptions& options, double warmup, double progress) {
  const auto steps = static_cast<double>(options.steps);
  return rate_of(options, warmup * steps, progress * steps);
}

}  // namespace heed
