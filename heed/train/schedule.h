#pragma once

#include "heed/tensor/shape.h"

namespace heed {

enum class Schedule { kConstant, kCosine, kLinear, kInverseSquareRoot };

// The learning rate over a training run. Each kind begins with `warmup` steps in which the rate
// grows evenly to its full size; then
//   constant              stays
//   cosine                falls to `floor` along half a cosine (annealing)
//   linear                falls to `floor` along a line
//   inverse square root   falls with √(warmup / step)
struct ScheduleOptions {
  Schedule kind = Schedule::kCosine;
  float rate = 1e-3f;  // the largest
  float floor = 0.0f;  // where cosine and linear end
  Index warmup = 0;
  Index steps = 1000;  // of the whole run, warm-up included
};

// Of step 0, 1, … ; after the last step it stays where it ended.
float learning_rate(const ScheduleOptions& options, Index step);

// The same for a run that learns on its way how many steps it has: `warmup`, which stands for
// options.warmup, and `progress` are parts of the whole, 0 to 1. After the warm-up the rate depends
// on them alone, whatever options.steps has become.
float learning_rate_at(const ScheduleOptions& options, double warmup, double progress);

}  // namespace heed
