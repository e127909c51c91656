#include "heed/eval/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heed {

std::vector<double> Axis::ticks() const {
  std::vector<double> values;
  const double first = std::ceil(low / tick - 1e-9);
  for (double n = first; n * tick <= high + 1e-9 * tick; n += 1.0) values.push_back(n * tick);
  return values;
}

double round_tick(double range, double parts) {
  const double power = std::pow(10.0, std::floor(std::log10(range / parts)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (range / (factor * power) <= parts * (1.0 + 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

Axis value_axis(const std::vector<double>& values, bool percent, double start, double end) {
  Axis axis;
  axis.start = start;
  axis.end = end;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  axis.low = *low;
  axis.high = *high;
  // One value, or a range lost in rounding, gets some room around it; a score at least two points.
  const double size = std::max(std::abs(axis.low), std::abs(axis.high));
  const double least = percent ? 0.02 : (size > 0.0 ? std::max(1e-3 * size, 1e-12) : 1.0);
  const double missing = std::max(0.0, least - (axis.high - axis.low));
  axis.low -= 0.5 * missing;
  axis.high += 0.5 * missing;
  const double parts = std::max(2.0, std::floor(std::abs(end - start) / 34.0));
  axis.tick = round_tick(axis.high - axis.low, parts);
  axis.low = std::floor(axis.low / axis.tick + 1e-9) * axis.tick;
  axis.high = std::ceil(axis.high / axis.tick - 1e-9) * axis.tick;
  if (*low >= 0.0) axis.low = std::max(0.0, axis.low);
  if (percent && *high <= 1.0) axis.high = std::min(1.0, axis.high);
  return axis;
}

std::string tick_label(double value, double tick, bool percent) {
  if (percent) {
    value *= 100.0;
    tick *= 100.0;
  }
  if (std::abs(value) < 1e-9 * tick) value = 0.0;
  if (value != 0.0 && (std::abs(value) >= 1e6 || tick < 1e-4)) {
    return fmt::format("{:.3g}", value);
  }
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(tick) - 1e-9)));
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace heed
