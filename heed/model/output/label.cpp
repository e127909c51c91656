#include "heed/model/output/label.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/eval/calibration.h"
#include "heed/eval/report.h"
#include "heed/eval/temperature.h"
#include "heed/grad/linear.h"
#include "heed/grad/loss.h"
#include "heed/model/options.h"
#include "heed/model/output/pooled_scores.h"

namespace heed {
namespace {

class LabelNetwork : public OutputNetwork {
 public:
  LabelNetwork(const Scope& scope, const LabelOptions& options, Index width)
      : options_(options), scores_(scope, pooled_options(options), width) {}

  Var scores(Context& context, const Sequences& x) const override { return scores_(context, x); }

  Var loss(Context& context, const Sequences& x, const Batch& batch,
           const WideScores& wide) const override {
    return loss_of_scores(context, add(context, scores(context, x), wide), batch);
  }

  bool compares_passes() const override { return options_.consistency > 0.0f; }
  Var loss_of_two(Context& context, const Sequences& x, const Sequences& again, const Batch& batch,
                  const WideScores& wide) const override {
    const Var first = add(context, scores(context, x), wide);
    const Var second = add(context, scores(context, again), wide);
    const Var mean = grad::add(context, loss_of_scores(context, first, batch),
                               loss_of_scores(context, second, batch), 0.5f, 0.5f);
    const Var apart =
        grad::divergence(context, first, second, static_cast<float>(batch.whole_weight));
    return grad::add(context, mean, apart, 1.0f, options_.consistency);
  }

  std::vector<Prediction> predict(Context& context, const Sequences& x, const Batch& batch,
                                  const WideScores& wide, Index top) const override {
    const Var all = add(context, scores(context, x), wide);  // (sequences, classes)
    const std::span<const std::int32_t> truth = batch.answer.integers(LabelOutput::kLabel).values();
    std::vector<Prediction> predictions;
    for (Index s = 0; s < all.rows(); ++s) {
      const std::span<const float> row(all.value.row(s), static_cast<std::size_t>(all.columns()));
      predictions.push_back({{best_candidates(row, top)}});
      if (s < std::ssize(truth)) {
        predictions.back().truth = {probability_of(row, truth[static_cast<std::size_t>(s)])};
      }
    }
    return predictions;
  }

  void describe(Plan& plan) const override { scores_.describe(plan, "classes"); }
  void describe_answer(Plan& plan) const override {
    plan.add("answer", {1}, {.note = "the most likely class"});
  }

 private:
  // Of scores (sequences, classes).
  Var loss_of_scores(Context& context, const Var& all, const Batch& batch) const {
    grad::LossOptions options{.divisor = static_cast<float>(batch.whole_weight),
                              .smoothing = options_.classes.smoothing,
                              .class_weights = options_.classes.class_weights};
    const auto loss_of = [&](LabelOutput::Column column, std::span<const float> shares) {
      options.row_weights = shares;
      return grad::cross_entropy(context, all, batch.answer.integers(column).values(), options);
    };
    const std::span<const float> shares = batch.answer.numbers(LabelOutput::kShare).values();
    if (shares.empty()) return loss_of(LabelOutput::kLabel, {});
    const auto rest = context.arena().array<float>(std::ssize(shares));
    std::transform(shares.begin(), shares.end(), rest.begin(),
                   [](float share) { return 1.0f - share; });
    return grad::add(context, loss_of(LabelOutput::kLabel, rest),
                     loss_of(LabelOutput::kOtherLabel, shares));
  }

  LabelOptions options_;
  PooledScores scores_;
};

class LabelMeasures : public Measures {
 public:
  explicit LabelMeasures(const std::vector<std::string>& names)
      : names_(names), index_(names), classes_(std::ssize(names)) {}

  void add(const Answer& truth, const Prediction& prediction) override {
    const auto* label = std::get_if<Label>(&truth);
    // A class that training has not seen is one that no prediction is.
    const std::int32_t index = label == nullptr ? index_.add("") : index_.add(label->name);
    if (index == std::ssize(names_)) names_.push_back(label == nullptr ? "" : label->name);
    const Candidate& given = prediction.rows.front().front();
    truth_.push_back(index);
    predicted_.push_back(given.index);
    if (prediction.truth.empty()) return;
    calibration_.add(index == given.index, given.probability, prediction.truth.front(),
                     index < classes_);
  }

  double score() const override {
    Index right = 0;
    for (std::size_t i = 0; i < truth_.size(); ++i) right += truth_[i] == predicted_[i] ? 1 : 0;
    return truth_.empty() ? 0.0 : static_cast<double>(right) / static_cast<double>(truth_.size());
  }
  std::string score_name() const override { return "accuracy"; }
  std::vector<NamedScore> scores() const override {
    if (truth_.empty()) return {{"accuracy"}, {"macro F1"}, {"weighted F1"}};
    const Classification all =
        score_classes(truth_, predicted_, std::ssize(names_), {.resamples = 0});
    return {{"accuracy", all.accuracy.value},
            {"macro F1", all.macro_f1.value},
            {"weighted F1", all.weighted_f1}};
  }
  std::string report() const override {
    return heed::report(result(), names_) + heed::report(calibration_.result());
  }
  void write(const JsonPlace& place) const override {
    write_json(place, result(), names_);
    write_json(place, calibration_.result());
  }
  // The right ones, and all.
  std::vector<std::vector<double>> sums() const override {
    std::vector<std::vector<double>> sums;
    for (std::size_t i = 0; i < truth_.size(); ++i) {
      sums.push_back({truth_[i] == predicted_[i] ? 1.0 : 0.0, 1.0});
    }
    return sums;
  }
  double score_of(std::span<const double> sums) const override { return sums[0] / sums[1]; }

 private:
  Classification result() const { return score_classes(truth_, predicted_, std::ssize(names_)); }

  std::vector<std::string> names_;
  ClassIndex index_;
  Index classes_;  // that the model has
  std::vector<std::int32_t> truth_, predicted_;
  CalibrationSums calibration_;
};

}  // namespace

template <class Archive>
void describe(Archive& archive, LabelOptions& options) {
  archive.field("pooling", options.pooling);
  archive.field("hidden", options.hidden, between(0, kMostWidth));
  archive.field("activation", options.activation);
  archive.field("temperature", options.temperature, between(0.01, 100));
  archive.field("consistency", options.consistency, between(0, 100));
  describe(archive, options.classes);
}

template void describe(JsonReader&, LabelOptions&);
template void describe(JsonWriter&, LabelOptions&);

void LabelOutput::fit(const Dataset& all, bool) { fit_names(all, "class"); }

void LabelOutput::prepare(const Answer& answer, Batch& batch) const {
  const auto* label = std::get_if<Label>(&answer);
  Ragged<std::int32_t>& labels = batch.answer.integers(kLabel);
  labels.push(label == nullptr ? kNoAnswer : index_of(label->name));
  labels.close();
}

void LabelOutput::mix(Batch& batch, const Batch& other, float share) const {
  Ragged<std::int32_t>& labels = batch.answer.integers(kOtherLabel);
  labels.push(other.answer.integers(kLabel).values().back());
  labels.close();
  Ragged<float>& shares = batch.answer.numbers(kShare);
  shares.push(share);
  shares.close();
}

double LabelOutput::weight(const Batch& batch) const {
  const std::span<const std::int32_t> own = batch.answer.integers(kLabel).values();
  const std::span<const float> shares = batch.answer.numbers(kShare).values();
  const std::vector<float>& weights = options_.classes.class_weights;
  if (shares.empty()) return total_weight(own, weights);
  const std::span<const std::int32_t> others = batch.answer.integers(kOtherLabel).values();
  double total = 0.0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto share = static_cast<double>(shares[i]);
    total += (1.0 - share) * total_weight(own.subspan(i, 1), weights) +
             share * total_weight(others.subspan(i, 1), weights);
  }
  return total;
}

std::unique_ptr<OutputNetwork> LabelOutput::network(const Scope& scope, Index width) const {
  return std::make_unique<LabelNetwork>(scope, options_, width);
}

std::unique_ptr<Measures> LabelOutput::measures() const {
  return std::make_unique<LabelMeasures>(names());
}

void LabelOutput::choose(Prediction& prediction, Index top) const {
  if (!chooses()) return;
  std::vector<Candidate>& candidates = prediction.rows.front();
  std::vector<float> probabilities;
  for (const Candidate& candidate : candidates) probabilities.push_back(candidate.probability);
  const Tempered tempered(options_.temperature, probabilities);
  for (float& truth : prediction.truth) truth = tempered(truth);
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(std::max<Index>(top, 1))));
  for (Candidate& candidate : candidates) candidate.probability = tempered(candidate.probability);
}

// What it answers now has the temperature that it learned before, if any.
void LabelOutput::calibrate(std::span<const Answer* const> truths,
                            std::span<const Prediction> predictions) {
  std::vector<Answered> answers;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const auto* label = std::get_if<Label>(truths[i]);
    const std::int32_t truth = label == nullptr ? kNoAnswer : index_of(label->name);
    if (truth == kNoAnswer) continue;
    Answered& answer = answers.emplace_back();
    answer.truth = truth;
    answer.probabilities.resize(static_cast<std::size_t>(classes()));
    for (const Candidate& candidate : predictions[i].rows.front()) {
      answer.probabilities[static_cast<std::size_t>(candidate.index)] = candidate.probability;
    }
  }
  options_.temperature =
      std::clamp(options_.temperature * best_temperature(answers), 0.01f, 100.0f);
}

Answer LabelOutput::answer(const Record&, const Prediction& prediction) const {
  return Label{name(prediction.rows.front().front())};
}

std::string LabelOutput::answer_text(const Record& record, const Prediction& prediction) const {
  return label_line(record, prediction.rows.front(), names());
}

void LabelOutput::write_answer(const JsonPlace& place, const Record& record,
                               const Prediction& prediction) const {
  write_labels(place, record, prediction.rows.front(), names());
}

std::vector<std::string> LabelOutput::column_names(Index top) const {
  std::vector<std::string> names{"predicted", "probability"};
  for (Index i = 2; i <= std::min(top, classes()); ++i) {
    names.push_back(fmt::format("predicted_{}", i));
    names.push_back(fmt::format("probability_{}", i));
  }
  return names;
}

std::vector<KeptCell> LabelOutput::cells(const Record&, const Prediction& prediction, Index) const {
  std::vector<KeptCell> cells;
  for (const Candidate& candidate : prediction.rows.front()) {
    cells.push_back({name(candidate)});
    cells.push_back({fmt::format("{:.4f}", candidate.probability), false});
  }
  return cells;
}

std::vector<Mistake> LabelOutput::mistakes(const Record& record,
                                           const Prediction& prediction) const {
  const auto* label = std::get_if<Label>(&record.answer);
  const Candidate& given = prediction.rows.front().front();
  if (label == nullptr || label->name == name(given)) return {};
  return {{{}, label->name, name(given), given.probability, given.probability}};
}

}  // namespace heed
