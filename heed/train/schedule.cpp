#include "heed/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heed {

float learning_rate(const ScheduleOptions& options, Index step) {
  if (options.warmup < 0 || options.steps < options.warmup || step < 0) {
    fail<UsageError>("schedule", "expected 0 ≤ warm-up ≤ steps and step ≥ 0, got {}, {} and {}",
                     options.warmup, options.steps, step);
  }
  if (!(options.rate >= 0.0f && options.floor >= 0.0f && std::isfinite(options.rate) &&
        std::isfinite(options.floor))) {
    fail<UsageError>("schedule", "expected a rate and a floor of at least 0, got {} and {}",
                     options.rate, options.floor);
  }
  if (step < options.warmup) {
    return options.rate * static_cast<float>(step + 1) / static_cast<float>(options.warmup);
  }
  const double all = std::max<double>(1.0, static_cast<double>(options.steps - options.warmup));
  const double done = std::min(1.0, static_cast<double>(step - options.warmup) / all);
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
      const double from = std::max<double>(1.0, static_cast<double>(options.warmup));
      return static_cast<float>(
          options.rate * std::sqrt(from / std::max<double>(from, static_cast<double>(step))));
    }
  }
  return options.rate;
}

}  // namespace heed
