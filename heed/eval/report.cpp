#include "heed/eval/report.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "heed/base/display.h"

namespace heed {
namespace {

constexpr std::size_t kLongestName = 32;

std::string percent(double share) { return fmt::format("{:.2f}", 100.0 * share); }

void add_measure(std::string& text, const char* name, const Measure& measure) {
  text += fmt::format("{}{:>7} %   {:.4g} % interval {} – {}\n", pad_right(name, 15),
                      percent(measure.value), 100.0 * measure.interval.confidence,
                      percent(measure.interval.low), percent(measure.interval.high));
}

void add_measure(std::string& text, const char* name, double value) {
  text += fmt::format("{}{:>7} %\n", pad_right(name, 15), percent(value));
}

std::string plural(Index count, const char* one) {
  return fmt::format("{} {}{}", with_commas(count), one, count == 1 ? "" : "s");
}

// Those that occur, in the order asked for.
std::vector<std::size_t> ordered(std::span<const ClassScore> scores,
                                 std::span<const std::string> names, ReportOptions::Order order) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (scores[row].support + scores[row].predicted > 0) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    if (order == ReportOptions::Order::kSupport && scores[a].support != scores[b].support) {
      return scores[a].support > scores[b].support;
    }
    return std::tie(names[a], a) < std::tie(names[b], b);
  });
  return rows;
}

std::size_t widest(std::span<const std::string> names, std::span<const std::size_t> rows) {
  std::size_t width = 0;
  for (const std::size_t row : rows) width = std::max(width, columns(names[row]));
  return std::min(width, kLongestName);
}

void add_scores(std::string& text, const char* title, std::span<const ClassScore> scores,
                std::span<const std::string> names, std::span<const std::size_t> rows) {
  const std::size_t width = std::max(widest(names, rows), columns(title));
  text += fmt::format("\n{}  precision   recall       F1  support\n", pad_right(title, width));
  for (const std::size_t row : rows) {
    const ClassScore& score = scores[row];
    text += fmt::format("{}  {:>9}  {:>7}  {:>7}  {:>7}\n",
                        pad_right(shorten(names[row], width), width), percent(score.precision()),
                        percent(score.recall()), percent(score.f1()), with_commas(score.support));
  }
}

// Rows are the truth, columns the predictions, both numbered so that columns stay narrow.
void add_matrix(std::string& text, const Classification& result, std::span<const std::string> names,
                std::span<const std::size_t> rows) {
  Index largest = 0;
  for (const Index count : result.confusion) largest = std::max(largest, count);
  const std::size_t cell =
      1 + std::max(std::to_string(largest).size(), std::to_string(rows.size()).size());
  const std::size_t width = widest(names, rows);
  const std::size_t number = std::to_string(rows.size()).size();
  text += "\nconfusion matrix: a row for each true class, a column for each predicted one\n";
  text += std::string(number + 2 + width, ' ');
  for (std::size_t column = 1; column <= rows.size(); ++column) {
    text += pad_left(std::to_string(column), cell);
  }
  text += '\n';
  for (std::size_t row = 0; row < rows.size(); ++row) {
    text += pad_left(std::to_string(row + 1), number) + "  " +
            pad_right(shorten(names[rows[row]], width), width);
    for (const std::size_t column : rows) {
      const Index count =
          result.confused(static_cast<Index>(rows[row]), static_cast<Index>(column));
      text += pad_left(count == 0 ? "·" : std::to_string(count), cell);
    }
    text += '\n';
  }
}

struct Confusion {
  Index count;
  std::size_t truth, predicted;
};

std::vector<Confusion> largest_confusions(const Classification& result, Index limit) {
  std::vector<Confusion> found;
  const auto classes = static_cast<std::size_t>(result.classes());
  for (std::size_t cell = 0; cell < result.confusion.size(); ++cell) {
    const std::size_t truth = cell / classes, predicted = cell % classes;
    if (truth == predicted || result.confusion[cell] == 0) continue;
    found.push_back({result.confusion[cell], truth, predicted});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
  found.resize(std::min(found.size(), static_cast<std::size_t>(std::max<Index>(0, limit))));
  return found;
}

void add_confusions(std::string& text, const Classification& result,
                    std::span<const std::string> names, Index limit) {
  const std::vector<Confusion> found = largest_confusions(result, limit);
  if (found.empty()) return;
  text += "\nlargest confusions\n";
  for (const Confusion& confusion : found) {
    const Index support = result.scores[confusion.truth].support;
    text += fmt::format(
        "{:>7} of {} “{}” {} taken for “{}” ({:.0f} %).\n", with_commas(confusion.count),
        with_commas(support), shorten(names[confusion.truth], kLongestName),
        confusion.count == 1 ? "was" : "were", shorten(names[confusion.predicted], kLongestName),
        100.0 * ClassScore::share(confusion.count, support));
  }
}

void check_names(const Classification& result, std::span<const std::string> names) {
  if (static_cast<Index>(names.size()) != result.classes()) {
    fail<ShapeError>("report", "expected {} names of classes, got {}", result.classes(),
                     names.size());
  }
}

void write_measure(const JsonPlace& place, const Measure& measure) {
  place["value"].set(measure.value);
  const JsonPlace interval = place["interval"];
  interval.append().set(measure.interval.low);
  interval.append().set(measure.interval.high);
}

void write_score(const JsonPlace& place, std::string_view name, const ClassScore& score) {
  place["name"].set(name);
  place["precision"].set(score.precision());
  place["recall"].set(score.recall());
  place["f1"].set(score.f1());
  place["support"].set(score.support);
  place["predicted"].set(score.predicted);
  place["correct"].set(score.correct);
}

}  // namespace

std::string report(const Classification& result, std::span<const std::string> names,
                   const ReportOptions& options) {
  check_names(result, names);
  const std::vector<std::size_t> rows = ordered(result.scores, names, options.order);
  std::string text = fmt::format("{}, {}{}\n\n", plural(result.examples, "example"),
                                 with_commas(static_cast<Index>(rows.size())),
                                 rows.size() == 1 ? " class" : " classes");
  add_measure(text, "accuracy", result.accuracy);
  add_measure(text, "macro F1", result.macro_f1);
  add_measure(text, "weighted F1", result.weighted_f1);
  add_scores(text, "class", result.scores, names, rows);
  if (static_cast<Index>(rows.size()) <= options.largest_matrix) {
    add_matrix(text, result, names, rows);
  } else {
    add_confusions(text, result, names, options.confusions);
  }
  return text;
}

std::string report(const Tagging& result, const ReportOptions& options) {
  std::string text = fmt::format("{}, {}\n\n", plural(result.sentences, "sentence"),
                                 plural(result.tokens, "token"));
  add_measure(text, "token accuracy", result.token_accuracy);
  if (!result.has_spans) return text;
  add_measure(text, "span precision", result.all.precision());
  add_measure(text, "span recall", result.all.recall());
  add_measure(text, "span F1", result.micro_f1);
  if (!result.types.empty()) {
    add_scores(text, "span", result.scores, result.types,
               ordered(result.scores, result.types, options.order));
  }
  return text;
}

void write_json(const JsonPlace& place, const Classification& result,
                std::span<const std::string> names) {
  check_names(result, names);
  place["examples"].set(result.examples);
  write_measure(place["accuracy"], result.accuracy);
  write_measure(place["macro_f1"], result.macro_f1);
  place["weighted_f1"].set(result.weighted_f1);
  place["classes"].set_list();
  for (std::size_t row = 0; row < names.size(); ++row) {
    write_score(place["classes"].append(), names[row], result.scores[row]);
  }
  place["confusion"].set_list();
  for (Index truth = 0; truth < result.classes(); ++truth) {
    const JsonPlace line = place["confusion"].append();
    line.set_list();
    for (Index predicted = 0; predicted < result.classes(); ++predicted) {
      line.append().set(result.confused(truth, predicted));
    }
  }
}

void write_json(const JsonPlace& place, const Tagging& result) {
  place["sentences"].set(result.sentences);
  place["tokens"].set(result.tokens);
  write_measure(place["token_accuracy"], result.token_accuracy);
  if (!result.has_spans) return;
  place["span_precision"].set(result.all.precision());
  place["span_recall"].set(result.all.recall());
  write_measure(place["span_f1"], result.micro_f1);
  place["spans"].set_list();
  for (std::size_t type = 0; type < result.types.size(); ++type) {
    write_score(place["spans"].append(), result.types[type], result.scores[type]);
  }
}

}  // namespace heed
