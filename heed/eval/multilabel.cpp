#include "heed/eval/multilabel.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/eval/classification.h"

namespace heed {
namespace {

constexpr std::size_t kLongestLabel = 32;  // characters of a name in a table

bool contains(const std::vector<std::int32_t>& labels, std::int32_t label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

void check_labels(std::span<const LabelledExample> examples, Index labels) {
  if (examples.empty()) fail<UsageError>("score_labels", "expected at least one example, got none");
  for (const LabelledExample& example : examples) {
    for (const std::vector<std::int32_t>* part : {&example.truth, &example.said, &example.ranked}) {
      for (const std::int32_t label : *part) {
        if (label >= 0 && label < labels) continue;
        fail<ShapeError>("score_labels", "expected labels from 0 to {}, got {}", labels - 1, label);
      }
    }
  }
}

// Adds an example that occurs so many times.
void count_labels(const LabelledExample& example, Index times, std::vector<ClassScore>& scores) {
  for (const std::int32_t label : example.truth) {
    scores[static_cast<std::size_t>(label)].support += times;
  }
  for (const std::int32_t label : example.said) {
    ClassScore& score = scores[static_cast<std::size_t>(label)];
    score.predicted += times;
    if (contains(example.truth, label)) score.correct += times;
  }
}

ClassScore sum_of(std::span<const ClassScore> scores) {
  ClassScore sum;
  for (const ClassScore& score : scores) {
    sum.support += score.support;
    sum.predicted += score.predicted;
    sum.correct += score.correct;
  }
  return sum;
}

double precision_at(std::span<const LabelledExample> examples, Index k) {
  Index right = 0;
  for (const LabelledExample& example : examples) {
    const auto count = std::min(static_cast<std::size_t>(k), example.ranked.size());
    for (std::size_t i = 0; i < count; ++i) {
      right += contains(example.truth, example.ranked[i]) ? 1 : 0;
    }
  }
  return ClassScore::share(right, k * std::ssize(examples));
}

// Whether the two are the same labels, in whatever order.
bool same_labels(const LabelledExample& example) {
  return example.truth.size() == example.said.size() &&
         std::all_of(example.said.begin(), example.said.end(),
                     [&](std::int32_t label) { return contains(example.truth, label); });
}

std::string percents(double share) { return fmt::format("{:.2f}", 100.0 * share); }

std::string measure_line(const char* name, const Measure& measure) {
  return fmt::format("{}{:>7} %   {:.4g} % interval {} – {}\n", pad_right(name, 17),
                     percents(measure.value), 100.0 * measure.interval.confidence,
                     percents(measure.interval.low), percents(measure.interval.high));
}

std::string value_line(const std::string& name, double value) {
  return fmt::format("{}{:>7} %\n", pad_right(name, 17), percents(value));
}

void write_interval(const JsonPlace& place, const Measure& measure) {
  place["value"].set(measure.value);
  place["interval"].append().set(measure.interval.low);
  place["interval"].append().set(measure.interval.high);
}

void check_label_names(const MultiLabel& result, std::span<const std::string> names) {
  if (names.size() == result.scores.size()) return;
  fail<ShapeError>("report", "expected {} names of labels, got {}", result.scores.size(),
                   names.size());
}

}  // namespace

MultiLabel score_labels(std::span<const LabelledExample> examples, Index labels,
                        const BootstrapOptions& options) {
  check_labels(examples, labels);
  MultiLabel result;
  result.examples = std::ssize(examples);
  result.scores.resize(static_cast<std::size_t>(labels));
  Index exact = 0;
  for (const LabelledExample& example : examples) {
    count_labels(example, 1, result.scores);
    exact += same_labels(example) ? 1 : 0;
  }
  result.all = sum_of(result.scores);
  result.exact = ClassScore::share(exact, result.examples);
  result.labels_each = ClassScore::share(result.all.support, result.examples);
  for (const Index k : {Index{1}, Index{3}, kRanked}) {
    if (k <= labels) result.at.push_back({k, precision_at(examples, k)});
  }
  const std::vector<Index> once(examples.size(), 1);
  std::vector<ClassScore> scores(result.scores.size());
  const auto measures = bootstrap(
      once, 2,
      [&](std::span<const Index> counts, std::span<double> found) {
        scores.assign(scores.size(), {});
        for (std::size_t i = 0; i < examples.size(); ++i) {
          if (counts[i] > 0) count_labels(examples[i], counts[i], scores);
        }
        found[0] = sum_of(scores).f1();
        found[1] = macro_f1(scores);
      },
      options);
  result.micro_f1 = measures[0];
  result.macro_f1 = measures[1];
  return result;
}

std::string report(const MultiLabel& result, std::span<const std::string> names,
                   std::span<const float> thresholds) {
  check_label_names(result, names);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < result.scores.size(); ++row) {
    if (result.scores[row].support + result.scores[row].predicted > 0) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    const Index left = result.scores[a].support, right = result.scores[b].support;
    return left != right ? left > right : std::tie(names[a], a) < std::tie(names[b], b);
  });
  std::string text =
      fmt::format("{} example{}, {} label{}, {:.2f} on each\n\n", with_commas(result.examples),
                  result.examples == 1 ? "" : "s", with_commas(std::ssize(rows)),
                  rows.size() == 1 ? "" : "s", result.labels_each);
  text += measure_line("micro F1", result.micro_f1);
  text += measure_line("macro F1", result.macro_f1);
  text += value_line("micro precision", result.all.precision());
  text += value_line("micro recall", result.all.recall());
  text += value_line("exactly right", result.exact);
  for (const MultiLabel::AtK& at : result.at) {
    text += value_line(fmt::format("precision at {}", at.k), at.precision);
  }
  std::size_t width = columns("label");
  for (const std::size_t row : rows) width = std::max(width, columns(names[row]));
  width = std::min(width, kLongestLabel);
  text += fmt::format("\n{}  precision   recall       F1  support{}\n", pad_right("label", width),
                      thresholds.empty() ? "" : "  threshold");
  for (const std::size_t row : rows) {
    const ClassScore& score = result.scores[row];
    text += fmt::format("{}  {:>9}  {:>7}  {:>7}  {:>7}",
                        pad_right(shorten(names[row], width), width), percents(score.precision()),
                        percents(score.recall()), percents(score.f1()), with_commas(score.support));
    if (row < thresholds.size()) text += fmt::format("  {:>9.2f}", thresholds[row]);
    text += '\n';
  }
  return text;
}

void write_json(const JsonPlace& place, const MultiLabel& result,
                std::span<const std::string> names, std::span<const float> thresholds) {
  check_label_names(result, names);
  place["examples"].set(result.examples);
  write_interval(place["micro_f1"], result.micro_f1);
  write_interval(place["macro_f1"], result.macro_f1);
  place["micro_precision"].set(result.all.precision());
  place["micro_recall"].set(result.all.recall());
  place["exact"].set(result.exact);
  place["labels_each"].set(result.labels_each);
  for (const MultiLabel::AtK& at : result.at) {
    place[fmt::format("precision_at_{}", at.k).c_str()].set(at.precision);
  }
  place["labels"].set_list();
  for (std::size_t row = 0; row < names.size(); ++row) {
    const ClassScore& score = result.scores[row];
    const JsonPlace line = place["labels"].append();
    line["name"].set(std::string_view(names[row]));
    line["precision"].set(score.precision());
    line["recall"].set(score.recall());
    line["f1"].set(score.f1());
    line["support"].set(score.support);
    line["predicted"].set(score.predicted);
    line["correct"].set(score.correct);
    if (row < thresholds.size()) line["threshold"].set(thresholds[row]);
  }
}

}  // namespace heed
