#include "heed/model/output/labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "heed/base/display.h"
#include "heed/grad/loss.h"
#include "heed/model/options.h"
#include "heed/model/output/labels_measures.h"
#include "heed/model/output/pooled_scores.h"

namespace heed {
namespace {

// Of labels that are less likely only a few are kept, for precision at k: with thousands of labels
// nearly all of them are.
constexpr float kLeastLikely = 0.01f;
constexpr std::size_t kFewest = 10;
constexpr float kUnchosen = 0.5f;  // the threshold before any is chosen

// All labels of one row of scores, the most likely first.
std::vector<Candidate> sigmoid_candidates(std::span<const float> scores) {
  std::vector<Candidate> candidates;
  candidates.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    candidates.push_back({static_cast<std::int32_t>(i), 1.0f / (1.0f + std::exp(-scores[i]))});
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.probability > b.probability; });
  return candidates;
}

// "a|b", in the order of the alphabet.
std::string joined_labels(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return fmt::format("{}", fmt::join(names, "|"));
}

class LabelsNetwork : public OutputNetwork {
 public:
  LabelsNetwork(const Scope& scope, const LabelsOptions& options, Index width)
      : options_(options), scores_(scope, pooled_options(options), width) {}

  Var scores(Context& context, const Sequences& x) const override { return scores_(context, x); }

  Var loss(Context& context, const Sequences& x, const Batch& batch,
           const WideScores& wide) const override {
    const Var all = add(context, scores_(context, x), wide);  // (sequences, labels)
    const float smoothing = options_.classes.smoothing;
    const std::span<float> targets = context.arena().array<float>(all.value.count());
    std::fill(targets.begin(), targets.end(), 0.5f * smoothing);
    for (Index s = 0; s < all.rows(); ++s) {
      for (const std::int32_t label : batch.answer.integers(0).part(s)) {
        targets[static_cast<std::size_t>(s * all.columns() + label)] = 1.0f - 0.5f * smoothing;
      }
    }
    return grad::binary_cross_entropy(context, all, targets,
                                      {.divisor = static_cast<float>(batch.whole_weight),
                                       .class_weights = options_.classes.class_weights});
  }

  // Always all of them: which are answers is decided when the mean of all networks is taken.
  std::vector<Prediction> predict(Context& context, const Sequences& x, const Batch&,
                                  const WideScores& wide, Index) const override {
    const Var all = add(context, scores_(context, x), wide);  // (sequences, labels)
    std::vector<Prediction> predictions;
    for (Index s = 0; s < all.rows(); ++s) {
      const std::span<const float> row(all.value.row(s), static_cast<std::size_t>(all.columns()));
      predictions.push_back({{sigmoid_candidates(row)}});
    }
    return predictions;
  }

  void describe(Plan& plan) const override { scores_.describe(plan, "labels"); }
  void describe_answer(Plan& plan) const override {
    plan.add("answer", {1}, {.note = "all labels that reach their thresholds"});
  }

 private:
  LabelsOptions options_;
  PooledScores scores_;
};

}  // namespace

template <class Archive>
void describe(Archive& archive, LabelsOptions& options) {
  archive.field("pooling", options.pooling);
  archive.field("hidden", options.hidden, between(0, kMostWidth));
  archive.field("activation", options.activation);
  archive.field("threshold", options.threshold, between(0, 1));
  archive.field("thresholds", options.thresholds, between(0, 1));
  describe(archive, options.classes);
  archive.check(
      "thresholds",
      options.thresholds.empty() || options.thresholds.size() == options.classes.names.size(),
      "one for each name, or none");
}

template void describe(JsonReader&, LabelsOptions&);
template void describe(JsonWriter&, LabelsOptions&);

void LabelsOutput::fit(const Dataset& all, bool) {
  for (const Record& record : all.records) {
    if (std::holds_alternative<Labels>(record.answer)) continue;
    throw FormatError(record.place.text() + ": expected a list of labels, perhaps an empty one");
  }
  fit_names(all, "label", 1);
  options_.thresholds.clear();
}

void LabelsOutput::learn(const Dataset& train) {
  std::vector<Index> counts(options_.classes.names.size());
  for (const Record& record : train.records) {
    each_name(record.answer, [&](const std::string& name) {
      const std::int32_t index = index_of(name);
      if (index != kNoAnswer) ++counts[static_cast<std::size_t>(index)];
    });
  }
  frequencies_.clear();
  for (const Index count : counts) {  // as if there were two more texts, one with the label
    frequencies_.push_back((static_cast<float>(count) + 1.0f) /
                           (static_cast<float>(train.size()) + 2.0f));
  }
}

void LabelsOutput::initialize(const Scope& scope) const {
  const Parameter* bias = scope.parameters().find(scope.path("last.bias"));
  if (bias == nullptr || bias->value.count() != std::ssize(frequencies_)) return;
  for (Index i = 0; i < bias->value.count(); ++i) {
    const float frequency = frequencies_[static_cast<std::size_t>(i)];
    bias->value.data[i] = std::log(frequency / (1.0f - frequency));
  }
}

void LabelsOutput::prepare(const Answer& answer, Batch& batch) const {
  Ragged<std::int32_t>& labels = batch.answer.integers(0);
  each_name(answer, [&](const std::string& name) {
    const std::int32_t index = index_of(name);
    if (index != kNoAnswer) labels.push(index);
  });
  labels.close();
}

std::string LabelsOutput::summary() const {
  return fmt::format("{} labels", with_commas(classes()));
}

std::unique_ptr<OutputNetwork> LabelsOutput::network(const Scope& scope, Index width) const {
  return std::make_unique<LabelsNetwork>(scope, options_, width);
}

std::unique_ptr<Measures> LabelsOutput::measures() const {
  std::vector<float> thresholds = options_.thresholds;
  if (options_.threshold > 0.0f) thresholds.assign(names().size(), options_.threshold);
  return std::make_unique<LabelsMeasures>(names(), std::move(thresholds));
}

float LabelsOutput::threshold_of(std::int32_t label) const {
  if (options_.threshold > 0.0f) return options_.threshold;
  return options_.thresholds.empty() ? kUnchosen
                                     : options_.thresholds[static_cast<std::size_t>(label)];
}

void LabelsOutput::choose(Prediction& prediction, Index top) const {
  std::vector<Candidate>& candidates = prediction.rows.front();
  if (top == 1) {
    std::erase_if(candidates, [&](const Candidate& candidate) {
      return candidate.probability < threshold_of(candidate.index);
    });
    return;
  }
  std::size_t count = static_cast<std::size_t>(top);
  if (top == kQuickly) {  // to be measured
    count = kFewest;
    while (count < candidates.size() && candidates[count].probability >= kLeastLikely) ++count;
  }
  if (count < candidates.size()) {
    candidates.resize(count);
    candidates.shrink_to_fit();
  }
}

void LabelsOutput::calibrate(std::span<const Answer* const> truths,
                             std::span<const Prediction> predictions) {
  if (options_.threshold > 0.0f) return;
  const ClassIndex index(names());
  std::vector<ScoredLabels> texts;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    texts.push_back(scored_labels(*truths[i], predictions[i], index));
  }
  options_.thresholds = choose_thresholds(texts, classes());
}

Answer LabelsOutput::answer(const Record&, const Prediction& prediction) const {
  Labels labels;
  for (const Candidate& candidate : prediction.rows.front())
    labels.names.push_back(name(candidate));
  return labels;
}

std::string LabelsOutput::answer_text(const Record& record, const Prediction& prediction) const {
  return label_line(record, prediction.rows.front(), names());
}

void LabelsOutput::write_answer(const JsonPlace& place, const Record& record,
                                const Prediction& prediction) const {
  write_labels(place, record, prediction.rows.front(), names());
}

std::vector<KeptCell> LabelsOutput::cells(const Record&, const Prediction& prediction,
                                          Index) const {
  std::vector<std::string> labels;
  for (const Candidate& candidate : prediction.rows.front()) labels.push_back(name(candidate));
  return {{joined_labels(std::move(labels))}};
}

std::vector<Mistake> LabelsOutput::mistakes(const Record& record,
                                            const Prediction& prediction) const {
  const auto* truth = std::get_if<Labels>(&record.answer);
  if (truth == nullptr) return {};
  std::vector<std::string> said, meant = truth->names;
  float wrong = 0.0f;  // the likeliest label that is not there, or the unlikeliest that is
  for (const Candidate& candidate : prediction.rows.front()) {
    const bool right = std::find(meant.begin(), meant.end(), name(candidate)) != meant.end();
    if (candidate.probability >= threshold_of(candidate.index)) said.push_back(name(candidate));
    wrong = std::max(wrong, right ? 1.0f - candidate.probability : candidate.probability);
  }
  std::string answer = joined_labels(std::move(said)), labels = joined_labels(std::move(meant));
  if (answer == labels) return {};
  return {{{}, std::move(labels), std::move(answer), wrong, wrong}};
}

}  // namespace heed
