#include "heed/eval/curve.h"

#include <algorithm>
#include <cmath>

#include "heed/base/display.h"
#include "heed/base/svg.h"
#include "heed/eval/axis.h"

namespace heed {
namespace {

constexpr double kCurveWidth = 720.0, kCurveHeight = 420.0;
constexpr double kCurveLeft = 64.0, kCurveRight = kCurveWidth - 24.0;  // of the panels
constexpr double kTop = 48.0, kBottom = kCurveHeight - 48.0;
constexpr double kHead = 26.0;        // above a panel, for its name and legend
constexpr double kBetween = 18.0;     // panels
constexpr double kCurveLetter = 6.6;  // average width of one at 12 pixels, generous

constexpr const char* kCurveStyle =
    "<style>\n"
    "text { font: 12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; "
    "fill: #3d4450; }\n"
    ".title { font-size: 15px; font-weight: 600; fill: #14171c; }\n"
    ".name { font-weight: 600; fill: #14171c; }\n"
    ".paper { fill: #ffffff; }\n"
    ".grid { stroke: #e3e6ea; stroke-width: 1; }\n"
    ".axis { stroke: #9aa2ad; stroke-width: 1; }\n"
    ".line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }\n"
    ".dense { stroke-width: 1; }\n"
    ".training { stroke: #8a93a0; } .training-dot { fill: #8a93a0; }\n"
    ".dev { stroke: #d1570b; } .dev-dot { fill: #d1570b; }\n"
    ".score { stroke: #0b6bcb; } .score-dot { fill: #0b6bcb; }\n"
    ".best { fill: #ffffff; stroke: #0b6bcb; stroke-width: 2; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  text { fill: #b3bac5; } .title, .name { fill: #f1f3f5; }\n"
    "  .paper { fill: #16191e; } .grid { stroke: #2a2f37; } .axis { stroke: #59616d; }\n"
    "  .dev { stroke: #ff9a52; } .dev-dot { fill: #ff9a52; }\n"
    "  .score { stroke: #5eb0ff; } .score-dot { fill: #5eb0ff; }\n"
    "  .best { fill: #16191e; stroke: #5eb0ff; }\n"
    "}\n"
    "</style>\n";

// Beyond this a training run has blown up, and differences could overflow.
bool drawable(double value) { return std::abs(value) < 1e100; }

void add_dot(std::string& svg, double x, double y, double radius, const std::string& style) {
  svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"{}\"/>\n", x, y, radius,
                     style);
}

Axis step_axis(const std::vector<CurvePoint>& points) {
  Axis axis;
  axis.start = kCurveLeft;
  axis.end = kCurveRight;
  axis.high = static_cast<double>(points.back().step);
  if (axis.high <= axis.low) axis.high = axis.low + 1.0;
  axis.tick = std::max(1.0, round_tick(axis.high - axis.low, 8.0));
  return axis;
}

struct Line {
  const char* style;
  std::string name;
  double CurvePoint::*value;
};

// A picture has one column of pixels for many points: of those in one column the first, lowest,
// highest and last are drawn.
std::vector<std::pair<double, double>> thinned(const std::vector<std::pair<double, double>>& all) {
  std::vector<std::pair<double, double>> kept;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    while (end < all.size() && std::floor(all[end].first) == std::floor(all[begin].first)) ++end;
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(end);
    const auto by_height = [](const auto& a, const auto& b) { return a.second < b.second; };
    auto [low, high] = std::minmax_element(first, last, by_height);
    if (high < low) std::swap(low, high);
    auto previous = last;
    for (const auto& point : {first, low, high, last - 1}) {
      if (point != previous) kept.push_back(*point);
      previous = point;
    }
  }
  return kept;
}

void add_curve(std::string& svg, const std::vector<CurvePoint>& points, const Line& line,
               const Axis& steps, const Axis& values) {
  const bool dots = points.size() <= 30;
  std::vector<std::pair<double, double>> run;  // of points without a gap
  const auto flush = [&] {
    if (run.size() > 1) {
      svg += fmt::format("<polyline class=\"line {}{}\" points=\"", line.style,
                         run.size() > 300 ? " dense" : "");
      for (const auto& [x, y] : thinned(run)) svg += fmt::format("{:.1f},{:.1f} ", x, y);
      svg.back() = '"';
      svg += "/>\n";
    }
    for (const auto& [x, y] : run) {
      if (dots || run.size() == 1) add_dot(svg, x, y, 3, std::string(line.style) + "-dot");
    }
    run.clear();
  };
  for (const CurvePoint& point : points) {
    const double value = point.*line.value;
    if (drawable(value)) {
      run.emplace_back(steps.place(static_cast<double>(point.step)), values.place(value));
    } else {
      flush();
    }
  }
  flush();
}

std::vector<double> finite_values(const std::vector<CurvePoint>& points, const Line& line) {
  std::vector<double> values;
  for (const CurvePoint& point : points) {
    if (drawable(point.*line.value)) values.push_back(point.*line.value);
  }
  return values;
}

struct Panel {
  std::string name;
  std::vector<Line> lines;  // those with something to show
  std::vector<double> values;
  bool percent;
  bool sign;  // of percent is shown
};

Panel make_panel(const std::vector<CurvePoint>& points, std::string_view name, bool percent,
                 std::initializer_list<Line> lines) {
  Panel panel{std::string(name), {}, {}, percent, percent};
  for (const Line& line : lines) {
    const std::vector<double> values = finite_values(points, line);
    if (values.empty()) continue;
    panel.lines.push_back(line);
    panel.values.insert(panel.values.end(), values.begin(), values.end());
  }
  return panel;
}

void add_best(std::string& svg, const std::vector<CurvePoint>& points, const Axis& steps,
              const Axis& values, double y, bool sign) {
  const CurvePoint* best = nullptr;
  for (const CurvePoint& point : points) {
    if (!drawable(point.dev_score)) continue;
    if (best == nullptr || point.dev_score > best->dev_score) best = &point;
  }
  for (const CurvePoint& point : points) {
    if (point.kept && drawable(point.dev_score)) best = &point;
  }
  if (best == nullptr) return;
  add_dot(svg, steps.place(static_cast<double>(best->step)), values.place(best->dev_score), 4.5,
          "best");
  svg_text(svg, kCurveRight, y,
           fmt::format("{} {:.2f}{} at step {}", best->kept ? "kept:" : "best",
                       100.0 * best->dev_score, sign ? " %" : "", with_commas(best->step)),
           "", "end");
}

// Fills the height from `top` to `bottom`, its head included.
void add_panel(std::string& svg, const std::vector<CurvePoint>& points, const Panel& panel,
               const Axis& steps, double top, double bottom) {
  std::vector<double> shown = panel.values;
  shown.push_back(0.0);  // heights are to be compared with the bottom
  const Axis values = value_axis(shown, panel.percent, bottom, top + kHead);
  const double baseline = top + 14.0;
  svg_text(svg, kCurveLeft, baseline, panel.name, "name");
  double x = kCurveLeft + kCurveLetter * 1.1 * static_cast<double>(columns(panel.name)) + 20.0;
  if (!panel.percent) {
    for (const Line& line : panel.lines) {
      svg_line(svg, x, baseline - 4.0, x + 20.0, baseline - 4.0,
               (std::string("line ") + line.style).c_str());
      svg_text(svg, x + 26.0, baseline, line.name);
      x += 26.0 + kCurveLetter * static_cast<double>(columns(line.name)) + 20.0;
    }
  }
  for (const double tick : values.ticks()) {
    const double y = values.place(tick);
    svg_line(svg, kCurveLeft, y, kCurveRight, y, "grid");
    svg_text(svg, kCurveLeft - 8.0, y + 4.0, tick_label(tick, values.tick, panel.percent), "",
             "end");
  }
  svg_line(svg, kCurveLeft, bottom, kCurveRight, bottom, "axis");
  for (const double tick : steps.ticks()) {
    svg_line(svg, steps.place(tick), bottom, steps.place(tick), bottom + 4.0, "axis");
  }
  for (const Line& line : panel.lines) add_curve(svg, points, line, steps, values);
  if (panel.percent) add_best(svg, points, steps, values, baseline, panel.sign);
}

}  // namespace

std::string curve_svg(const std::vector<CurvePoint>& points, std::string_view title,
                      std::string_view score_name, bool in_percent) {
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n{3}"
      "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n",
      kCurveWidth, kCurveHeight, svg_escape(title), kCurveStyle);
  svg_text(svg, 24.0, 30.0, shorten(title, 80), "title");

  std::vector<Panel> panels = {
      make_panel(points, "loss", false,
                 {{"training", "training", &CurvePoint::training_loss},
                  {"dev", "dev", &CurvePoint::dev_loss}}),
      make_panel(points, "dev " + shorten(score_name, 40) + (in_percent ? ", %" : ""), true,
                 {{"score", "dev", &CurvePoint::dev_score}})};
  panels.back().sign = in_percent;
  std::erase_if(panels, [](const Panel& panel) { return panel.lines.empty(); });
  if (panels.empty()) {
    svg_text(svg, kCurveWidth / 2, kCurveHeight / 2, "nothing was measured yet", "", "middle");
    return svg + "</svg>\n";
  }
  const Axis steps = step_axis(points);
  const auto count = static_cast<double>(panels.size());
  const double height = (kBottom - kTop - (count - 1.0) * kBetween) / count;
  double top = kTop;
  for (const Panel& panel : panels) {
    add_panel(svg, points, panel, steps, top, top + height);
    top += height + kBetween;
  }
  for (const double tick : steps.ticks()) {
    const std::string label = with_commas(std::llround(tick));
    const double half = 0.5 * kCurveLetter * static_cast<double>(label.size());
    const double x = std::min(steps.place(tick), kCurveWidth - 4.0 - half);
    svg_text(svg, x, kBottom + 18.0, label, "", "middle");
  }
  svg_text(svg, (kCurveLeft + kCurveRight) / 2, kBottom + 36.0, "step", "", "middle");
  return svg + "</svg>\n";
}

}  // namespace heed
