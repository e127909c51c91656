#include "heed/eval/comparison_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/display.h"
#include "heed/base/json.h"
#include "heed/base/svg.h"
#include "heed/eval/plot.h"

namespace heed {
namespace {

constexpr const char* kPageStyle = R"(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #14171c; --soft: #59616d;
  --line: #e3e6ea; --card: #f6f7f9; --good: #00805d; }
@media (prefers-color-scheme: dark) { :root { --paper: #0f1115; --ink: #f1f3f5; --soft: #aab2bd;
  --line: #2a2f37; --card: #16191e; --good: #33c79b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1rem 3rem; max-width: 68rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .8rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .6rem; }
p { margin: .5rem 0; max-width: 44rem; }
.first { font-size: 1.1rem; }
.soft, small { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .93rem; }
th, td { padding: .4rem .6rem .4rem 0; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; vertical-align: top; }
th { font-weight: 600; color: var(--soft); }
th:first-child, td:first-child { text-align: left; }
tr.best td { font-weight: 600; }
td small { display: block; font-weight: 400; }
@media (max-width: 30rem) { table { font-size: .8rem; } th, td { padding-right: .45rem; } }
.plots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.plots figure { margin: 0; border: 1px solid var(--line); border-radius: .6rem; overflow: hidden; }
.plots svg { display: block; width: 100%; height: auto; }
code { font: .88em ui-monospace, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
)";

std::string exact_percent(double share) { return fmt::format("{:.2f} %", 100.0 * share); }

// A share in points, with a minus that is as wide as a digit, and no sign at what is shown as 0.
std::string points(double share) {
  const std::string digits = fmt::format("{:.2f}", 100.0 * std::abs(share));
  return (share < 0.0 && digits != "0.00" ? "−" : "") + digits;
}

// Best score so far against time, at times that all seeds have reached: the mean.
PlotLine learning_line(const Comparison& comparison, std::size_t variant, double amount) {
  std::vector<const ComparedRun*> runs;
  double first = 0.0, last = 0.0;
  for (const ComparedRun& run : comparison.runs) {
    if (run.variant != variant || run.amount != amount || run.evaluations.empty()) continue;
    runs.push_back(&run);
    first = std::max(first, run.evaluations.front().seconds);
    last = std::max(last, run.evaluations.back().seconds);
  }
  PlotLine line{comparison.variants[variant].name, {}};
  constexpr int kPoints = 24;
  for (int i = 0; i <= kPoints && !runs.empty(); ++i) {
    const double time = first + (last - first) * static_cast<double>(i) / kPoints;
    double sum = 0.0;
    for (const ComparedRun* run : runs) {
      double best = 0.0;
      for (const ComparedRun::Evaluation& evaluation : run->evaluations) {
        if (evaluation.seconds <= time + 1e-9) best = std::max(best, evaluation.score);
      }
      sum += best;
    }
    line.points.push_back({time, sum / static_cast<double>(runs.size())});
    if (last - first <= 0.0) break;
  }
  return line;
}

// Intervals of the share of right answers are those of the score, where the score is that share.
bool is_share(const Comparison& comparison) { return comparison.score_name == "accuracy"; }

double low_of(const Comparison& comparison, const Standing& place) {
  return is_share(comparison) ? place.right.interval.low : place.lowest;
}

double high_of(const Comparison& comparison, const Standing& place) {
  return is_share(comparison) ? place.right.interval.high : place.highest;
}

}  // namespace

ComparisonReport::ComparisonReport(Comparison comparison, const BootstrapOptions& options)
    : comparison_(std::move(comparison)) {
  for (const double amount : comparison_.amounts) {
    by_amount_.push_back(standings(comparison_, amount, options));
  }
  findings_ = findings(comparison_, by_amount_);
  make_plots();
}

void ComparisonReport::make_plots() {
  const auto add = [&](const char* name, const std::vector<PlotLine>& lines,
                       const PlotOptions& options) {
    const bool any = std::any_of(lines.begin(), lines.end(),
                                 [](const PlotLine& line) { return !line.points.empty(); });
    if (any) plots_.emplace_back(name, plot_svg(lines, options));
  };
  std::vector<PlotLine> amounts, times, speeds, memories;
  for (std::size_t v = 0; v < comparison_.variants.size(); ++v) {
    const ComparedVariant& variant = comparison_.variants[v];
    PlotLine amount{variant.name, {}}, speed = amount, memory = amount;
    for (const std::vector<Standing>& places : by_amount_) {
      for (const Standing& place : places) {
        if (place.variant != v) continue;
        amount.points.push_back({static_cast<double>(place.examples), place.score,
                                 low_of(comparison_, place), high_of(comparison_, place)});
      }
    }
    for (const LengthSpeed& at : variant.speeds) {
      const auto length = static_cast<double>(at.length);
      speed.points.push_back({length, at.rows_per_second});
      memory.points.push_back({length, at.bytes * 1e-6});
    }
    amounts.push_back(amount);
    times.push_back(learning_line(comparison_, v, comparison_.amounts.back()));
    speeds.push_back(speed);
    memories.push_back(memory);
  }
  if (comparison_.amounts.size() > 1) {
    add("amount.svg", amounts,
        {"Score against amount of data", "examples to learn from", comparison_.score_name + ", %",
         Scale::kLog, Scale::kPercent});
  }
  add("time.svg", times,
      {"Score against training time", "seconds", "dev " + comparison_.score_name + " so far, %",
       Scale::kFromZero, Scale::kPercent});
  add("speed.svg", speeds,
      {"Speed against length", "rows of a sequence", "rows a second, one core", Scale::kLog,
       Scale::kLog});
  add("memory.svg", memories,
      {"Memory against length", "rows of a sequence", "MB for one training pass", Scale::kLog,
       Scale::kLog});
}

std::string ComparisonReport::table(const std::vector<Standing>& places) const {
  std::string rows;
  for (const Standing& place : places) {
    const ComparedVariant& variant = comparison_.variants[place.variant];
    const bool best = &place == &places.front();
    const std::string behind =
        best ? std::string("best")
             : fmt::format("{}<small>{} to {}</small>", points(-place.behind.value),
                           points(-place.behind.interval.high), points(-place.behind.interval.low));
    const std::string chance =
        best ? std::string()
             : fmt::format(
                   "{}<small>{}</small>",
                   place.behind.p < 0.001 ? "&lt; 0.001" : fmt::format("{:.3f}", place.behind.p),
                   place.told_apart() ? "more than chance" : "undecided");
    rows += fmt::format(
        "<tr{}><td>{}</td><td>{}<small>{:.2f} to {:.2f}</small></td><td>{}</td><td>{}</td>"
        "<td>{:.1f}</td><td>{}</td><td>{}</td></tr>\n",
        best ? " class=\"best\"" : "", svg_escape(variant.name), exact_percent(place.score),
        100.0 * low_of(comparison_, place), 100.0 * high_of(comparison_, place), behind, chance,
        place.seconds, with_commas(variant.body_parameters), with_commas(variant.parameters));
  }
  return fmt::format(
      "<div class=\"scroll\"><table>\n<tr><th>variant</th><th>{}</th><th>points</th>"
      "<th>p</th><th>seconds</th><th>parameters of the body</th><th>of all</th></tr>\n{}"
      "</table></div>\n",
      svg_escape(comparison_.score_name), rows);
}

std::string ComparisonReport::html() const {
  std::string body;
  const auto paragraph = [&](const std::string& text, const char* style) {
    body += fmt::format("<p class=\"{}\">{}</p>\n", style, svg_escape(text));
  };
  const std::string title = "Compared on " + comparison_.data;
  body += fmt::format("<h1>{}</h1>\n", svg_escape(title));
  for (const std::string& sentence : findings_) {
    paragraph(sentence, &sentence == &findings_.front() ? "first" : "");
  }
  for (std::size_t i = by_amount_.size(); i-- > 0;) {
    if (by_amount_[i].empty()) continue;
    body += fmt::format("<h2>{} of the data: {} examples to learn from</h2>\n",
                        amount_text(comparison_.amounts[i]),
                        with_commas(by_amount_[i].front().examples));
    body += table(by_amount_[i]);
  }
  body += "<h2>Plots</h2>\n<div class=\"plots\">\n";
  for (const auto& plot : plots_) body += "<figure>" + plot.second + "</figure>\n";
  body += "</div>\n<h2>How it was measured</h2>\n";
  paragraph(fmt::format("Scores are means over {} seed{}, {}.", comparison_.seeds,
                        comparison_.seeds == 1 ? "" : "s", comparison_.judged_on),
            "");
  paragraph(comparison_.matched, "");
  paragraph(
      fmt::format("Under each score: {}. Points are those to the best, of "
                  "single answers that are right; under them the 95 % interval of the difference "
                  "by the paired bootstrap (1,000 "
                  "draws of the same test examples for both, and of the seeds). p is two-sided and "
                  "corrected for the number of variants (Holm); below 0.05 the two are told apart.",
                  is_share(comparison_) ? "its 95 % interval by the same bootstrap"
                                        : "the lowest and the highest of its seeds"),
      "");
  body += fmt::format("<p class=\"soft\"><code>{}</code></p>\n", svg_escape(comparison_.command));
  for (const ComparedVariant& variant : comparison_.variants) {
    body += fmt::format("<p class=\"soft\">{}: <code>{}</code></p>\n", svg_escape(variant.name),
                        svg_escape(variant.flags));
  }
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      svg_escape(title), kPageStyle, body);
}

std::string ComparisonReport::json() const {
  const JsonText text;
  const JsonPlace root = text.root();
  root["task"].set(std::string_view(comparison_.task));
  root["data"].set(std::string_view(comparison_.data));
  root["command"].set(std::string_view(comparison_.command));
  root["measure"].set(std::string_view(comparison_.score_name));
  root["matched"].set(std::string_view(comparison_.matched));
  root["seeds"].set(static_cast<std::int64_t>(comparison_.seeds));
  root["test_examples"].set(static_cast<std::int64_t>(comparison_.answers.size()));
  root["findings"].set_list();
  for (const std::string& sentence : findings_) {
    root["findings"].append().set(std::string_view(sentence));
  }
  root["amounts"].set_list();
  for (std::size_t i = 0; i < by_amount_.size(); ++i) {
    const JsonPlace amount = root["amounts"].append();
    amount["amount"].set(comparison_.amounts[i]);
    amount["variants"].set_list();
    for (const Standing& place : by_amount_[i]) {
      const JsonPlace entry = amount["variants"].append();
      entry["name"].set(std::string_view(comparison_.variants[place.variant].name));
      entry["examples"].set(static_cast<std::int64_t>(place.examples));
      entry["score"].set(place.score);
      entry["lowest"].set(place.lowest);
      entry["highest"].set(place.highest);
      entry["right"]["share"].set(place.right.value);
      entry["right"]["low"].set(place.right.interval.low);
      entry["right"]["high"].set(place.right.interval.high);
      entry["seconds"].set(place.seconds);
      if (&place == &by_amount_[i].front()) continue;
      entry["behind"]["share"].set(place.behind.value);
      entry["behind"]["low"].set(place.behind.interval.low);
      entry["behind"]["high"].set(place.behind.interval.high);
      entry["behind"]["p"].set(place.behind.p);
      entry["behind"]["more_than_chance"].set(place.told_apart());
    }
  }
  root["variants"].set_list();
  for (const ComparedVariant& variant : comparison_.variants) {
    const JsonPlace entry = root["variants"].append();
    entry["name"].set(std::string_view(variant.name));
    entry["flags"].set(std::string_view(variant.flags));
    entry["parameters"].set(static_cast<std::int64_t>(variant.parameters));
    entry["body_parameters"].set(static_cast<std::int64_t>(variant.body_parameters));
    entry["speeds"].set_list();
    for (const LengthSpeed& at : variant.speeds) {
      const JsonPlace speed = entry["speeds"].append();
      speed["length"].set(static_cast<std::int64_t>(at.length));
      speed["rows_per_second"].set(at.rows_per_second);
      speed["bytes"].set(at.bytes);
    }
  }
  return text.pages();
}

}  // namespace heed
