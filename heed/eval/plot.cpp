#include "heed/eval/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "heed/base/display.h"
#include "heed/base/svg.h"
#include "heed/eval/axis.h"

namespace heed {
namespace {

constexpr double kWidth = 480.0, kBody = 250.0;  // of the picture, and the height of its panel
constexpr double kLeft = 58.0, kRight = kWidth - 18.0;
constexpr double kLetter = 7.2;  // average width of one at 13 pixels, generous
constexpr std::size_t kColours = 8;

// Colours of Okabe and Ito that also those tell apart who see fewer, on white and on black.
constexpr const char* kStyle =
    "<style>\n"
    ".plot text { font: 13px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; "
    "fill: #3d4450; }\n"
    ".plot .title { font-size: 15px; font-weight: 600; fill: #14171c; }\n"
    ".plot .paper { fill: #ffffff; }\n"
    ".plot .grid { stroke: #e3e6ea; } .plot .axis { stroke: #9aa2ad; }\n"
    ".plot .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; }\n"
    ".plot .bar { stroke-width: 1.4; opacity: 0.65; }\n"
    ".c0 { stroke: #0b6bcb; fill: #0b6bcb; } .c1 { stroke: #d1570b; fill: #d1570b; }\n"
    ".c2 { stroke: #00805d; fill: #00805d; } .c3 { stroke: #b0478f; fill: #b0478f; }\n"
    ".c4 { stroke: #7a6400; fill: #7a6400; } .c5 { stroke: #2b98c9; fill: #2b98c9; }\n"
    ".c6 { stroke: #6c4bc1; fill: #6c4bc1; } .c7 { stroke: #59616d; fill: #59616d; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  .plot text { fill: #b3bac5; } .plot .title { fill: #f1f3f5; }\n"
    "  .plot .paper { fill: #16191e; } .plot .grid { stroke: #2a2f37; }\n"
    "  .plot .axis { stroke: #59616d; }\n"
    "  .c0 { stroke: #5eb0ff; fill: #5eb0ff; } .c1 { stroke: #ff9a52; fill: #ff9a52; }\n"
    "  .c2 { stroke: #33c79b; fill: #33c79b; } .c3 { stroke: #e58fc7; fill: #e58fc7; }\n"
    "  .c4 { stroke: #e0c341; fill: #e0c341; } .c5 { stroke: #8fdcff; fill: #8fdcff; }\n"
    "  .c6 { stroke: #b49cff; fill: #b49cff; } .c7 { stroke: #aab2bd; fill: #aab2bd; }\n"
    "}\n"
    "</style>\n";

// An axis of any scale: on a logarithmic one it is of log₁₀.
struct ScaledAxis {
  Axis axis;
  Scale scale = Scale::kLinear;
  std::vector<double> marks;  // values
  double place(double value) const {
    return axis.place(scale == Scale::kLog ? std::log10(value) : value);
  }
  std::string label(double value) const {
    return scale == Scale::kLog ? short_number(value)
                                : tick_label(value, axis.tick, scale == Scale::kPercent);
  }
};

bool drawable(double value, Scale scale) {
  return std::isfinite(value) && std::abs(value) < 1e100 && (scale != Scale::kLog || value > 0.0);
}

ScaledAxis log_axis(const std::vector<double>& values, double start, double end) {
  ScaledAxis result{{}, Scale::kLog, {}};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  double first = std::log10(*low), last = std::log10(*high);
  if (last - first < 0.3) {
    first -= 0.2;
    last += 0.2;
  }
  result.axis = {first, last, 1.0, start, end};
  const bool wide = last - first > 2.5;
  for (double power = std::floor(first); power <= last; power += 1.0) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, power);
      if ((wide && factor > 1.0) || std::log10(value) < first - 1e-9) continue;
      if (std::log10(value) <= last + 1e-9) result.marks.push_back(value);
    }
  }
  return result;
}

ScaledAxis make_axis(const std::vector<double>& values, Scale scale, double start, double end) {
  if (scale == Scale::kLog) return log_axis(values, start, end);
  if (scale == Scale::kFromZero && std::find(values.begin(), values.end(), 0.0) == values.end()) {
    std::vector<double> more = values;
    more.push_back(0.0);
    return make_axis(more, scale, start, end);
  }
  ScaledAxis result{value_axis(values, scale == Scale::kPercent, start, end), scale, {}};
  result.marks = result.axis.ticks();
  return result;
}

// Of x, the marks are where the points are, if there is room for their labels.
void mark_points(ScaledAxis& axis, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  axis.marks.clear();
  double free = -1e9;
  for (const double value : values) {
    const double half = 0.5 * kLetter * static_cast<double>(columns(axis.label(value)));
    const double x = axis.place(value);
    if (x - half < free) continue;
    axis.marks.push_back(value);
    free = x + half + 6.0;
  }
}

// A mark of one of four shapes.
void add_mark(std::string& svg, double x, double y, std::size_t line) {
  const std::size_t colour = line % kColours;
  switch (line % 4) {
    case 0:
      svg += fmt::format("<circle class=\"c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", colour, x,
                         y);
      break;
    case 1:
      svg +=
          fmt::format("<rect class=\"c{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\"/>\n",
                      colour, x - 3.5, y - 3.5);
      break;
    case 2:
      svg += fmt::format("<path class=\"c{}\" d=\"M{:.1f} {:.1f} l4.5 8 h-9 z\"/>\n", colour, x,
                         y - 5.0);
      break;
    default:
      svg += fmt::format(
          "<path class=\"c{}\" d=\"M{:.1f} {:.1f} l4.5 4.5 l-4.5 4.5 l-4.5 -4.5 z\"/>\n", colour, x,
          y - 4.5);
  }
}

void add_line(std::string& svg, const std::vector<PlotPoint>& points, std::size_t number,
              const ScaledAxis& across, const ScaledAxis& up) {
  const std::string colour = fmt::format("c{}", number % kColours);
  std::string path;
  for (const PlotPoint& point : points) {
    const double x = across.place(point.x), y = up.place(point.y);
    path += fmt::format("{:.1f},{:.1f} ", x, y);
    if (!drawable(point.low, up.scale) || !drawable(point.high, up.scale)) continue;
    const double low = up.place(point.low), high = up.place(point.high);
    const std::string bar = "bar " + colour;
    svg_line(svg, x, low, x, high, bar.c_str());
    svg_line(svg, x - 4.0, low, x + 4.0, low, bar.c_str());
    svg_line(svg, x - 4.0, high, x + 4.0, high, bar.c_str());
  }
  if (points.size() > 1) {
    // A style of the element wins over the colour's fill.
    svg += fmt::format("<polyline class=\"line {}\" style=\"fill:none\" points=\"{}\"/>\n", colour,
                       path);
  }
  for (const PlotPoint& point : points) {
    if (points.size() <= 12 || &point == &points.back()) {
      add_mark(svg, across.place(point.x), up.place(point.y), number);
    }
  }
}

// Rows of names with their marks; returns where they end.
double add_legend(std::string& svg, const std::vector<PlotLine>& lines, double y) {
  double x = 16.0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string name = shorten(lines[i].name, 40);
    const double width = 18.0 + kLetter * static_cast<double>(columns(name)) + 14.0;
    if (x + width > kWidth && x > 16.0) {
      x = 16.0;
      y += 19.0;
    }
    add_mark(svg, x + 5.0, y - 4.5, i);
    svg_text(svg, x + 15.0, y, name);
    x += width;
  }
  return y;
}

}  // namespace

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) return fmt::format("{:.3g}G", value * 1e-9);
  if (size >= 1e6) return fmt::format("{:.3g}M", value * 1e-6);
  if (size >= 1e4) return fmt::format("{:.3g}k", value * 1e-3);
  if (size >= 1e3) return with_commas(std::llround(value));
  return fmt::format("{:.3g}", value);
}

std::string plot_svg(const std::vector<PlotLine>& all, const PlotOptions& options) {
  std::vector<PlotLine> lines = all;
  std::vector<double> xs, ys;
  for (PlotLine& line : lines) {
    std::erase_if(line.points, [&](const PlotPoint& point) {
      return !drawable(point.x, options.x) || !drawable(point.y, options.y);
    });
    for (const PlotPoint& point : line.points) {
      xs.push_back(point.x);
      for (const double y : {point.y, point.low, point.high}) {
        if (drawable(y, options.y)) ys.push_back(y);
      }
    }
  }
  std::string inside;
  svg_text(inside, 16.0, 24.0, shorten(options.title, 60), "title");
  const double legend = add_legend(inside, lines, 47.0);
  const double top = legend + 26.0, bottom = top + kBody - 40.0, height = bottom + 46.0;
  svg_text(inside, 16.0, top - 8.0, options.y_name);
  if (xs.empty()) {
    svg_text(inside, kWidth / 2, 0.5 * (top + bottom), "nothing was measured", "", "middle");
  } else {
    ScaledAxis across = make_axis(xs, options.x, kLeft + 10.0, kRight - 10.0);
    const ScaledAxis up = make_axis(ys, options.y, bottom, top + 6.0);
    if (options.x == Scale::kLog) mark_points(across, xs);
    for (const double mark : up.marks) {
      svg_line(inside, kLeft, up.place(mark), kRight, up.place(mark), "grid");
      svg_text(inside, kLeft - 8.0, up.place(mark) + 4.5, up.label(mark), "", "end");
    }
    svg_line(inside, kLeft, bottom, kRight, bottom, "axis");
    for (const double mark : across.marks) {
      svg_line(inside, across.place(mark), bottom, across.place(mark), bottom + 4.0, "axis");
      svg_text(inside, across.place(mark), bottom + 19.0, across.label(mark), "", "middle");
    }
    svg_text(inside, 0.5 * (kLeft + kRight), bottom + 38.0, options.x_name, "", "middle");
    for (std::size_t i = 0; i < lines.size(); ++i) add_line(inside, lines[i].points, i, across, up);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {0} {1}\" "
      "width=\"{0}\" height=\"{1}\" role=\"img\">\n<title>{2}</title>\n{3}"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n{4}</svg>\n",
      kWidth, height, svg_escape(options.title), kStyle, inside);
}

}  // namespace heed
