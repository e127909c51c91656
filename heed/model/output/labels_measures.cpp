#include "heed/model/output/labels_measures.h"

#include <algorithm>

namespace heed {

ScoredLabels scored_labels(const Answer& truth, const Prediction& prediction,
                           const ClassIndex& index) {
  ScoredLabels text;
  each_name(truth, [&](const std::string& name) { text.truth.push_back(index[name]); });
  for (const Candidate& candidate : prediction.rows.front()) {
    const bool right =
        std::find(text.truth.begin(), text.truth.end(), candidate.index) != text.truth.end();
    text.labels.push_back({candidate.index, candidate.probability, right});
  }
  return text;
}

LabelsMeasures::LabelsMeasures(std::vector<std::string> names, std::vector<float> thresholds)
    : names_(std::move(names)),
      index_(names_),
      thresholds_(std::move(thresholds)),
      known_(std::ssize(names_)) {}

void LabelsMeasures::add(const Answer& truth, const Prediction& prediction) {
  each_name(truth, [&](const std::string& name) {
    // A label that training has not seen is one that is never said.
    if (index_.add(name) == std::ssize(names_)) names_.push_back(name);
  });
  texts_.push_back(scored_labels(truth, prediction, index_));
}

std::vector<float> LabelsMeasures::thresholds() const {
  if (!thresholds_.empty()) return thresholds_;
  return choose_thresholds(texts_, known_, Thresholds::kOneForAll);
}

double LabelsMeasures::score() const {
  return texts_.empty() ? 0.0 : micro_f1(texts_, thresholds());
}

std::vector<NamedScore> LabelsMeasures::scores() const {
  if (texts_.empty()) return {{"micro F1"}, {"macro F1"}, {"exactly right"}};
  const MultiLabel all = result({.resamples = 0});
  std::vector<NamedScore> scores = {{"micro F1", all.micro_f1.value},
                                    {"macro F1", all.macro_f1.value},
                                    {"exactly right", all.exact}};
  for (const MultiLabel::AtK& at : all.at) {
    scores.push_back({fmt::format("precision at {}", at.k), at.precision});
  }
  return scores;
}

MultiLabel LabelsMeasures::result(const BootstrapOptions& options) const {
  const std::vector<float> from = thresholds();
  std::vector<LabelledExample> examples;
  for (const ScoredLabels& text : texts_) {
    LabelledExample& example = examples.emplace_back();
    example.truth = text.truth;
    for (const ScoredLabel& label : text.labels) {
      if (std::ssize(example.ranked) < kRanked) example.ranked.push_back(label.label);
      if (label.probability >= from[static_cast<std::size_t>(label.label)]) {
        example.said.push_back(label.label);
      }
    }
  }
  return score_labels(examples, std::ssize(names_), options);
}

std::string LabelsMeasures::report() const { return heed::report(result(), names_, thresholds()); }

void LabelsMeasures::write(const JsonPlace& place) const {
  write_json(place, result(), names_, thresholds());
}

}  // namespace heed
