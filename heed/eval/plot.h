#pragma once

#include <limits>
#include <string>
#include <vector>

namespace heed {

struct PlotPoint {
  double x = 0.0, y = 0.0;
  // An interval, drawn as a bar; NaN: none.
  double low = std::numeric_limits<double>::quiet_NaN();
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct PlotLine {
  std::string name;
  std::vector<PlotPoint> points;  // in the order of x
};

enum class Scale {
  kLinear,
  kFromZero,  // linear, and 0 is on it: durations
  kLog,       // values above 0; those of x are marked where there are points
  kPercent,   // shares of 1
};

struct PlotOptions {
  std::string title, x_name, y_name;
  Scale x = Scale::kLinear, y = Scale::kLinear;
};

// Lines over each other with a legend, 480 × 340, readable on a phone: SVG that needs nothing from
// outside and follows the reader's light or dark setting. Lines have colours, and marks of
// different shapes for those who cannot tell the colours apart.
std::string plot_svg(const std::vector<PlotLine>& lines, const PlotOptions& options);

// 1234 → "1,234", 1500000 → "1.5M", 0.25 → "0.25"
std::string short_number(double value);

}  // namespace heed
