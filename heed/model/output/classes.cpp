#include "heed/model/output/classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "heed/base/display.h"
#include "heed/data/text/columns.h"
#include "heed/data/utf8.h"
#include "heed/kernel/rows.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, ClassOptions& options) {
  archive.field("dropout", options.dropout, part_of_one());
  archive.field("smoothing", options.smoothing, part_of_one());
  archive.field("class_weights", options.class_weights, at_least(0));
  archive.field("names", options.names);
  // Without names they are for those that the data will bring.
  archive.check("class_weights",
                options.class_weights.empty() || options.names.empty() ||
                    options.class_weights.size() == options.names.size(),
                "one for each name, or none");
}

template void describe(JsonReader&, ClassOptions&);
template void describe(JsonWriter&, ClassOptions&);

void each_name(const Answer& answer, const std::function<void(const std::string&)>& take) {
  if (const auto* label = std::get_if<Label>(&answer)) take(label->name);
  if (const auto* labels = std::get_if<Labels>(&answer)) {
    for (const std::string& name : labels->names) take(name);
  }
  if (const auto* tags = std::get_if<Tags>(&answer)) {
    for (const std::string& name : tags->names) take(name);
  }
}

namespace {

// Of a score among others. Never 0: a temperature (eval/temperature) makes more of it.
float probability_at(float score, const kernel::LogSum& among) {
  return std::max(std::exp(score - among.largest) / among.sum, std::numeric_limits<float>::min());
}

// Weights that came with names stay with them; those without are in the order of the alphabet.
// Names that are not the data's, or another number of weights, are refused.
void settle_names(const std::vector<std::string>& names, const char* noun, ClassOptions& options) {
  std::map<std::string, std::size_t> given;
  for (std::size_t i = 0; i < options.names.size(); ++i) {
    const std::string& name = options.names[i];
    if (!std::binary_search(names.begin(), names.end(), name)) {
      throw UsageError(fmt::format("output.names: the data has no {} \"{}\"; it has {}", noun, name,
                                   listed(names)));
    }
    if (!given.emplace(name, i).second) {
      throw UsageError(fmt::format("output.names: \"{}\" is there twice", name));
    }
  }
  std::vector<float>& weights = options.class_weights;
  if (!given.empty()) {
    std::vector<float> ordered;
    for (const std::string& name : names) {
      if (!given.contains(name)) {
        throw UsageError(fmt::format(
            "output.names: \"{}\" is missing, a {} of the data; give all of them, or none", name,
            noun));
      }
      if (!weights.empty()) ordered.push_back(weights[given[name]]);
    }
    weights = std::move(ordered);
  }
  if (!weights.empty() && weights.size() != names.size()) {
    throw UsageError(fmt::format(
        "output.class_weights: {} weights, expected {}, one for each {} in the order of the "
        "alphabet: {}",
        weights.size(), names.size(), noun, listed(names)));
  }
  options.names = names;
}

// The largest of a row, best first, the earlier of equal ones first; `probability` is the value.
std::vector<Candidate> largest_of(std::span<const float> values, Index top) {
  const auto value = [&](std::int32_t i) { return values[static_cast<std::size_t>(i)]; };
  const Index count = std::clamp<Index>(top, 1, std::ssize(values));
  std::vector<Candidate> candidates;
  if (count == 1) {
    const auto best =
        static_cast<std::int32_t>(std::max_element(values.begin(), values.end()) - values.begin());
    candidates.push_back({best, value(best)});
    return candidates;
  }
  std::vector<std::int32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      return value(a) != value(b) ? value(a) > value(b) : a < b;
                    });
  candidates.reserve(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) {
    const std::int32_t index = order[static_cast<std::size_t>(i)];
    candidates.push_back({index, value(index)});
  }
  return candidates;
}

}  // namespace

void fit_classes(const Dataset& all, const char* noun, ClassOptions& options, std::size_t fewest) {
  std::set<std::string> seen;
  for (const Record& record : all.records) {
    each_name(record.answer, [&](const std::string& name) { seen.insert(name); });
  }
  if (seen.empty()) {
    throw FormatError(
        fmt::format("{}: no example has a {}", all.records.front().place.text(), noun));
  }
  if (seen.size() < fewest) {
    throw FormatError(fmt::format("{}: all examples have the {} \"{}\"; there must be at least two",
                                  all.records.front().place.text(), noun, *seen.begin()));
  }
  settle_names({seen.begin(), seen.end()}, noun, options);
}

void add_classes(const Dataset& all, ClassOptions& options) {
  std::set<std::string> names(options.names.begin(), options.names.end());
  for (const Record& record : all.records) {
    each_name(record.answer, [&](const std::string& name) { names.insert(name); });
  }
  if (names.size() == options.names.size()) return;
  options.names.assign(names.begin(), names.end());
  options.class_weights.clear();
}

std::string unseen_classes(const Dataset& data, const std::string& what,
                           const ClassOptions& options) {
  const ClassIndex index(options.names);
  std::string first;
  Index count = 0;
  for (const Record& record : data.records) {
    each_name(record.answer, [&](const std::string& name) {
      if (index[name] != kNoAnswer) return;
      if (++count > 1) return;
      first = fmt::format("{}: \"{}\" is in the {} data, but never in the training data",
                          record.place.text(), name, what);
    });
  }
  if (count == 0) return {};
  return fmt::format("{}; answers like this: {}, counted as wrong", first, with_commas(count));
}

void balance_classes(const Dataset& train, ClassOptions& options) {
  std::map<std::string, double> counts;
  double total = 0.0;
  for (const Record& record : train.records) {
    each_name(record.answer, [&](const std::string& name) {
      ++counts[name];
      ++total;
    });
  }
  options.class_weights.clear();
  for (const std::string& name : options.names) {
    const double n = std::max(1.0, counts[name]);
    options.class_weights.push_back(
        static_cast<float>(total / (n * static_cast<double>(options.names.size()))));
  }
}

ClassIndex::ClassIndex(std::span<const std::string> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    indices_.emplace(names[i], static_cast<std::int32_t>(i));
  }
}

std::int32_t ClassIndex::operator[](const std::string& name) const {
  const auto found = indices_.find(name);
  return found == indices_.end() ? kNoAnswer : found->second;
}

std::int32_t ClassIndex::add(const std::string& name) {
  return indices_.emplace(name, static_cast<std::int32_t>(indices_.size())).first->second;
}

std::vector<Candidate> best_candidates(std::span<const float> scores, Index top) {
  const kernel::LogSum sum = kernel::log_sum(std::ssize(scores), scores.data());
  std::vector<Candidate> candidates = largest_of(scores, top);
  for (Candidate& candidate : candidates) {
    candidate.probability = probability_at(candidate.probability, sum);
  }
  return candidates;
}

std::vector<Candidate> best_of_probabilities(std::span<const float> probabilities, Index top) {
  return largest_of(probabilities, top);
}

float probability_of(std::span<const float> scores, std::int32_t index) {
  if (index < 0 || index >= std::ssize(scores)) return 0.0f;
  const kernel::LogSum sum = kernel::log_sum(std::ssize(scores), scores.data());
  return probability_at(scores[static_cast<std::size_t>(index)], sum);
}

double total_weight(std::span<const std::int32_t> answers, std::span<const float> class_weights) {
  double total = 0.0;
  for (const std::int32_t answer : answers) {
    if (answer == kNoAnswer) continue;
    total += class_weights.empty()
                 ? 1.0
                 : static_cast<double>(class_weights[static_cast<std::size_t>(answer)]);
  }
  return total;
}

void write_candidates(const JsonPlace& list, const char* what,
                      std::span<const Candidate> candidates, std::span<const std::string> names) {
  list.set_list();
  for (const Candidate& candidate : candidates) {
    const JsonPlace place = list.append();
    place[what].set(std::string_view(names[static_cast<std::size_t>(candidate.index)]));
    place["probability"].set(candidate.probability);
  }
}

std::string label_line(const Record& record, std::span<const Candidate> labels,
                       std::span<const std::string> names) {
  const bool whole_file = record.place.file != nullptr && record.place.line == 0;
  std::string line = whole_file ? printable(*record.place.file) : std::string();
  for (const Candidate& label : labels) {
    line += fmt::format("{}{}\t{:.4f}", line.empty() ? "" : "\t",
                        printable(names[static_cast<std::size_t>(label.index)]), label.probability);
  }
  return line + "\n";
}

void write_labels(const JsonPlace& place, const Record& record, std::span<const Candidate> labels,
                  std::span<const std::string> names) {
  if (const auto* text = std::get_if<Text>(&record.content)) {
    place["text"].set(std::string_view(text->text));
  }
  write_candidates(place["answers"], "label", labels, names);
}

}  // namespace heed
