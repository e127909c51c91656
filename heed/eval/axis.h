#pragma once

#include <string>
#include <vector>

// Axes of plots.
namespace heed {

// Values from `low` to `high` on pixels from `start` to `end`, with ticks at round numbers.
struct Axis {
  double low = 0.0, high = 1.0, tick = 1.0;
  double start = 0.0, end = 1.0;

  double place(double value) const { return start + (value - low) / (high - low) * (end - start); }
  std::vector<double> ticks() const;
};

// The smallest of 1, 2, 5 × a power of ten that makes at most `parts` parts of a range.
double round_tick(double range, double parts);

// Holds all values, with its ends on ticks.
Axis value_axis(const std::vector<double>& values, bool percent, double start, double end);

// As many digits as its neighbours on the axis need to differ.
std::string tick_label(double value, double tick, bool percent);

}  // namespace heed
