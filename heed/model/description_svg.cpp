#include "heed/model/description_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/display.h"
#include "heed/base/svg.h"

namespace heed {
namespace {

constexpr double kWidth = 640.0;
constexpr double kLeft = 40.0, kRight = 372.0;  // of the boxes
constexpr double kMiddle = (kLeft + kRight) / 2.0;
constexpr double kParameters = 490.0, kFlops = 592.0;  // where these columns end
constexpr double kFrameLeft = 20.0, kFrameRight = 612.0;
constexpr double kBox = 44.0, kArrow = 36.0;
constexpr double kFrameHead = 36.0;  // from a frame's top to its first box, for its name

constexpr const char* kStyle =
    "<style>\n"
    "text { font: 12px system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; "
    "fill: #3d4450; }\n"
    ".title { font-size: 15px; font-weight: 600; fill: #14171c; }\n"
    ".name { font-size: 13px; font-weight: 600; fill: #14171c; }\n"
    ".note { font-size: 11px; fill: #5c6570; }\n"
    ".shape { font-family: ui-monospace, 'SF Mono', Consolas, 'DejaVu Sans Mono', monospace; "
    "fill: #0b6bcb; }\n"
    ".paper { fill: #ffffff; }\n"
    ".frame { fill: #f6f7f9; stroke: #c8ced6; stroke-width: 1; }\n"
    ".box { fill: #ffffff; stroke: #9aa2ad; stroke-width: 1; }\n"
    ".mark { fill: #9aa2ad; } .attends { fill: #d1570b; } .learns { fill: #0b6bcb; }\n"
    ".arrow { stroke: #5c6570; stroke-width: 1.5; } .head { fill: #5c6570; }\n"
    ".rule { stroke: #e3e6ea; stroke-width: 1; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  text { fill: #b3bac5; } .title, .name { fill: #f1f3f5; } .note { fill: #98a1ad; }\n"
    "  .shape { fill: #5eb0ff; } .paper { fill: #16191e; }\n"
    "  .frame { fill: #1c2026; stroke: #3a414b; } .box { fill: #23282f; stroke: #59616d; }\n"
    "  .mark { fill: #59616d; } .attends { fill: #ff9a52; } .learns { fill: #5eb0ff; }\n"
    "  .arrow { stroke: #98a1ad; } .head { fill: #98a1ad; } .rule { stroke: #2a2f37; }\n"
    "}\n"
    "</style>\n";

void add_box(std::string& svg, double x, double y, double width, double height, double round,
             const char* style) {
  svg += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" "
      "class=\"{}\"/>\n",
      x, y, width, height, round, style);
}

// From `top` to `bottom`, with the shape of what passes beside it.
void add_arrow(std::string& svg, double top, double bottom, const Shape& shape) {
  svg_line(svg, kMiddle, top, kMiddle, bottom - 6.0, "arrow");
  svg += fmt::format("<path d=\"M{:.1f} {:.1f}l-4.5 -8h9z\" class=\"head\"/>\n", kMiddle, bottom);
  if (shape.rank() > 0) {
    svg_text(svg, kMiddle + 12.0, top + kArrow / 2.0 + 3.0, shape.text(), "shape");
  }
}

void add_step(std::string& svg, double y, const PlanStep& step) {
  const char* mark = step.name == "attention" ? "attends" : step.parameters > 0 ? "learns" : "mark";
  add_box(svg, kLeft, y, kRight - kLeft, kBox, 6, "box");
  add_box(svg, kLeft + 6.0, y + 8.0, 4.0, kBox - 16.0, 2, mark);
  svg_text(svg, kLeft + 20.0, y + (step.note.empty() ? 27.0 : 19.0), step.name, "name");
  if (!step.note.empty()) {
    svg_text(svg, kLeft + 20.0, y + 35.0, shorten(step.note, 52), "note");
  }
  const double baseline = y + kBox / 2.0 + 4.0;
  if (step.parameters > 0) {
    svg_text(svg, kParameters, baseline, with_commas(step.parameters), "", "end");
  }
  if (step.flops > 0.0) svg_text(svg, kFlops, baseline, short_count(step.flops), "", "end");
}

// Steps begin … end − 1, drawn once for `times` layers that are alike.
struct Run {
  std::size_t begin, end, times;
};

bool alike(const PlanStep& a, const PlanStep& b) {
  return a.name == b.name && a.in == b.in && a.out == b.out && a.parameters == b.parameters &&
         a.flops == b.flops && a.note == b.note;
}

std::vector<Run> runs(const std::vector<PlanStep>& steps) {
  std::vector<Run> result;
  for (std::size_t begin = 0; begin < steps.size();) {
    std::size_t end = begin + 1;
    while (end < steps.size() && steps[end].layer == steps[begin].layer) ++end;
    const auto first = [&](std::size_t place) { return steps.begin() + static_cast<long>(place); };
    if (!result.empty() && !steps[begin].layer.empty()) {
      const Run& last = result.back();
      if (!steps[last.begin].layer.empty() &&
          std::equal(first(last.begin), first(last.end), first(begin), first(end), alike)) {
        ++result.back().times;
        begin = end;
        continue;
      }
    }
    result.push_back({begin, end, 1});
    begin = end;
  }
  return result;
}

}  // namespace

std::string description_svg(const Description& description, std::string_view title) {
  const std::vector<PlanStep>& steps = description.steps;
  std::string body;
  svg_text(body, kFrameLeft, 32.0, shorten(title, 70), "title");
  svg_text(body, kFrameLeft, 52.0,
           fmt::format("what happens to a text of {} tokens", with_commas(description.length)));
  double y = 76.0;
  svg_text(body, kParameters, y + 20.0, "parameters", "note", "end");
  svg_text(body, kFlops, y + 20.0, "FLOPs", "note", "end");
  add_box(body, kMiddle - 44.0, y, 88.0, 30.0, 15, "box");
  svg_text(body, kMiddle, y + 19.0, "text", "name", "middle");
  y += 30.0;
  for (const Run& run : runs(steps)) {
    const bool framed = !steps[run.begin].layer.empty();
    double top = y;  // where the arrow into the first box begins
    if (framed) {
      const double count = static_cast<double>(run.end - run.begin);
      const double frame = y + kArrow;
      add_box(body, kFrameLeft, frame, kFrameRight - kFrameLeft,
              kFrameHead + count * kBox + (count - 1.0) * kArrow + 14.0, 10, "frame");
      svg_text(body, kFrameLeft + 20.0, frame + 22.0,
               run.times == 1 ? steps[run.begin].layer : fmt::format("{} layers, each", run.times),
               "name");
      y = frame + kFrameHead - kArrow;
    }
    for (std::size_t i = run.begin; i < run.end; ++i) {
      y += kArrow;
      add_arrow(body, top, y, steps[i].in);
      add_step(body, y, steps[i]);
      y += kBox;
      top = y;
    }
    if (framed) {
      y += 14.0;
      svg_line(body, kMiddle, y - 14.0, kMiddle, y, "arrow");
    }
  }
  y += kArrow;
  add_arrow(body, y - kArrow, y, steps.back().out);
  y += 20.0;
  svg_line(body, kFrameLeft, y, kFrameRight, y, "rule");
  svg_text(body, kFrameLeft, y + 22.0,
           fmt::format("all together, {} of the parameters in embeddings",
                       with_commas(description.embedding_parameters)));
  svg_text(body, kParameters, y + 22.0, with_commas(description.parameters), "name", "end");
  svg_text(body, kFlops, y + 22.0, short_count(description.flops), "name", "end");
  y += 44.0;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n{3}"
             "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n",
             kWidth, y, svg_escape(title), kStyle) +
         body + "</svg>\n";
}

}  // namespace heed
