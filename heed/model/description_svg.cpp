#include "heed/model/description_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/display.h"
#include "heed/base/svg.h"
#include "heed/data/content.h"

namespace heed {
namespace {

constexpr double kWidth = 640.0;
constexpr double kLeft = 40.0, kRight = 372.0;  // of the boxes
constexpr double kMiddle = (kLeft + kRight) / 2.0;
constexpr double kParameters = 490.0, kFlops = 592.0;  // where these columns end
constexpr double kFrameLeft = 20.0, kFrameRight = 612.0;
constexpr double kBox = 44.0, kArrow = 36.0;
constexpr double kFrameHead = 36.0;  // from a frame's top to its first box, for its name
constexpr double kFrameFoot = 22.0;  // from its last box to its end, for a sum
constexpr double kNoteLine = 13.0;   // a note of several lines makes its box higher
constexpr std::size_t kNoteColumns = 52;
constexpr double kBypass = kRight + 18.0;  // where what goes past a box is drawn
constexpr double kMargin = 9.0;            // where what stands beside the network comes down
constexpr double kFork = 10.0;             // above a box: where a line leaves the arrow
constexpr double kSum = 10.0;              // below a box: where it comes back

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
    ".bypass { stroke: #5c6570; stroke-width: 1.5; fill: none; }\n"
    ".sum { stroke: #5c6570; stroke-width: 1.5; fill: #ffffff; }\n"
    ".rule { stroke: #e3e6ea; stroke-width: 1; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  text { fill: #b3bac5; } .title, .name { fill: #f1f3f5; } .note { fill: #98a1ad; }\n"
    "  .shape { fill: #5eb0ff; } .paper { fill: #16191e; }\n"
    "  .frame { fill: #1c2026; stroke: #3a414b; } .box { fill: #23282f; stroke: #59616d; }\n"
    "  .mark { fill: #59616d; } .attends { fill: #ff9a52; } .learns { fill: #5eb0ff; }\n"
    "  .arrow { stroke: #98a1ad; } .head { fill: #98a1ad; } .rule { stroke: #2a2f37; }\n"
    "  .bypass { stroke: #98a1ad; } .sum { stroke: #98a1ad; fill: #16191e; }\n"
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
    svg_text(svg, kMiddle + 12.0, top + kArrow / 2.0 + 5.0, shape.text(), "shape");
  }
}

// A note in lines that fit into a box, divided between words.
std::vector<std::string> note_lines(const PlanStep& step) {
  std::vector<std::string> lines;
  std::string_view rest = step.note;
  while (columns(rest) > kNoteColumns) {
    std::size_t end = rest.size();
    do {
      end = end == 0 ? std::string_view::npos : rest.rfind(' ', end - 1);
    } while (end != std::string_view::npos && columns(rest.substr(0, end)) > kNoteColumns);
    if (end == std::string_view::npos || end == 0) break;  // one long word
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  if (!rest.empty()) lines.emplace_back(rest);
  return lines;
}

double height_of(const PlanStep& step) {
  const auto lines = static_cast<double>(note_lines(step).size());
  return kBox + kNoteLine * std::max(0.0, lines - 1.0);
}

// What comes in is added to what goes out.
bool is_residual(const PlanStep& step) { return step.note.find("residual") != std::string::npos; }
// It reads the record: the first step of a network.
bool begins(const PlanStep& step) { return step.in.rank() == 0; }
// What goes out is added to the network's: it reads the text itself.
bool is_beside(const PlanStep& step) { return step.note.starts_with("+ "); }

// What passes the boxes from `top` to `bottom`, and is added there: into `sums`, which is drawn
// over the arrows.
void add_bypass(std::string& svg, std::string& sums, double top, double bottom) {
  svg += fmt::format("<path d=\"M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{4:.1f}\" class=\"bypass\"/>\n",
                     kMiddle, top, kBypass, bottom, kMiddle + 7.0);
  sums +=
      fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"7\" class=\"sum\"/>\n", kMiddle, bottom);
  svg_text(sums, kMiddle, bottom + 4.0, "+", "name", "middle");
}

// From the record itself, beside the network, to a box.
void add_side_arrow(std::string& svg, double text, double y) {
  svg += fmt::format("<path d=\"M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{4:.1f}\" class=\"bypass\"/>\n",
                     kMiddle - 44.0, text, kMargin, y, kLeft - 6.0);
  svg += fmt::format("<path d=\"M{:.1f} {:.1f}l-8 -4.5v9z\" class=\"head\"/>\n", kLeft, y);
}

// From the end of each network of an ensemble, past those that follow it, to the answer.
void add_ends(std::string& svg, const std::vector<double>& ends, double answer) {
  for (const double end : ends) {
    svg += fmt::format("<path d=\"M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}\" class=\"bypass\"/>\n",
                       kMiddle, end, kBypass + 14.0, answer - kFork);
  }
}

void add_step(std::string& svg, double y, const PlanStep& step) {
  const char* mark = step.name == "attention" ? "attends" : step.parameters > 0 ? "learns" : "mark";
  const double height = height_of(step);
  add_box(svg, kLeft, y, kRight - kLeft, height, 6, "box");
  add_box(svg, kLeft + 6.0, y + 8.0, 4.0, height - 16.0, 2, mark);
  svg_text(svg, kLeft + 20.0, y + (step.note.empty() ? 27.0 : 19.0), step.name, "name");
  double line = y + 35.0;
  for (const std::string& note : note_lines(step)) {
    svg_text(svg, kLeft + 20.0, line, note, "note");
    line += kNoteLine;
  }
  const double baseline = y + height / 2.0 + 4.0;
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
  std::string body, sums;
  std::string record = plural(description.content);
  record.pop_back();
  svg_text(body, kFrameLeft, 32.0, shorten(title, 70), "title");
  svg_text(body, kFrameLeft, 52.0,
           fmt::format("what happens to a {} of {} {}", record, with_commas(description.length),
                       description.content == ContentKind::kText ? "tokens" : "rows"));
  double y = 76.0;
  svg_text(body, kParameters, y + 20.0, "parameters", "note", "end");
  svg_text(body, kFlops, y + 20.0, "FLOPs", "note", "end");
  add_box(body, kMiddle - 44.0, y, 88.0, 30.0, 15, "box");
  svg_text(body, kMiddle, y + 19.0, record, "name", "middle");
  const double text = y + 15.0;
  y += 30.0;
  std::vector<double> ends;  // of all networks but the last
  for (const Run& run : runs(steps)) {
    const bool framed = !steps[run.begin].layer.empty();
    double top = y;  // where the arrow into the first box begins
    if (framed) {
      double height = kFrameHead + kFrameFoot - kArrow;
      for (std::size_t i = run.begin; i < run.end; ++i) height += height_of(steps[i]) + kArrow;
      const double frame = y + kArrow;
      add_box(body, kFrameLeft, frame, kFrameRight - kFrameLeft, height, 10, "frame");
      svg_text(body, kFrameLeft + 20.0, frame + 22.0,
               run.times == 1 ? steps[run.begin].layer : fmt::format("{} layers, each", run.times),
               "name");
      y = frame + kFrameHead - kArrow;
    }
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const PlanStep& step = steps[i];
      y += kArrow;
      if (i > 0 && begins(step)) {
        ends.push_back(top);
        add_side_arrow(body, text, y + height_of(step) / 2.0);
      } else if (is_beside(step)) {
        svg_line(body, kMiddle, top, kMiddle, y - kFork, "arrow");
        svg_text(body, kMiddle + 12.0, top + kArrow / 2.0 + 5.0, step.in.text(), "shape");
        add_side_arrow(body, text, y + height_of(step) / 2.0);
      } else {
        add_arrow(body, top, y, step.in);
      }
      if (i + 1 == steps.size()) add_ends(body, ends, y);
      if (is_residual(step) || is_beside(step)) {
        // With the norm before it: that is a part of the branch.
        const bool normed = i > run.begin && steps[i - 1].name == "norm" && !is_beside(step);
        const double begin = normed ? y - kArrow - height_of(steps[i - 1]) : y;
        add_bypass(body, sums, begin - kFork, y + height_of(step) + kSum);
      }
      add_step(body, y, step);
      y += height_of(step);
      top = y;
    }
    if (framed) {
      y += kFrameFoot;
      svg_line(body, kMiddle, y - kFrameFoot, kMiddle, y, "arrow");
    }
  }
  y += kArrow;
  add_arrow(body, y - kArrow, y, steps.back().out);
  y += 20.0;
  svg_line(body, kFrameLeft, y, kFrameRight, y, "rule");
  svg_text(body, kFrameLeft, y + 22.0,
           fmt::format("total; {} of the parameters are in embeddings",
                       with_commas(description.embedding_parameters)));
  svg_text(body, kParameters, y + 22.0, with_commas(description.parameters), "name", "end");
  svg_text(body, kFlops, y + 22.0, short_count(description.flops), "name", "end");
  y += 44.0;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
             "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n{3}"
             "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n",
             kWidth, y, svg_escape(title), kStyle) +
         body + sums + "</svg>\n";
}

}  // namespace heed
