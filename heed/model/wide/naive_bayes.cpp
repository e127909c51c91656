#include "heed/model/wide/naive_bayes.h"

#include <cmath>
#include <numeric>

#include "heed/grad/embedding.h"
#include "heed/grad/linear.h"

namespace heed {
namespace {

constexpr float kSmoothing = 0.05f;  // added to how often each feature is in every class

// The last row of the counts is the sum of all others.
Index entries_of(const Tensor& counts) { return counts.rows() - 1; }

float sum_of(const Tensor& counts, Index row) {
  return std::accumulate(counts.row(row), counts.row(row) + counts.columns(), 0.0f);
}

}  // namespace

NaiveBayes::NaiveBayes(const Scope& scope, Index entries, Index classes, float weight)
    : counts_(&scope.add("counts", {entries + 1, classes}, Init::constant(0.0f), {.frozen = true})),
      weight_(&scope.add("naive_bayes", {1, classes}, Init::constant(weight), {.decay = false})) {}

void NaiveBayes::clear() const { std::fill_n(counts_->value.data, counts_->value.count(), 0.0f); }

void NaiveBayes::count(std::span<const std::int32_t> features, std::span<const float> values,
                       std::int32_t label) const {
  for (std::size_t i = 0; i < features.size(); ++i) {
    counts_->value.row(features[i])[label] += values[i];
  }
}

void NaiveBayes::finish() const {
  const Tensor& counts = counts_->value;
  for (Index label = 0; label < counts.columns(); ++label) {
    double sum = 0.0;
    for (Index id = 0; id < entries_of(counts); ++id) {
      sum += static_cast<double>(counts.row(id)[label]);
    }
    counts.row(entries_of(counts))[label] = static_cast<float>(sum);
  }
}

void NaiveBayes::scores(const Tensor& counts, Index feature, std::span<float> scores) {
  const Index classes = counts.columns(), entries = entries_of(counts);
  const float here = sum_of(counts, feature), all = sum_of(counts, entries);
  float mean = 0.0f;
  for (Index label = 0; label < classes; ++label) {
    const float others = std::max(here - counts.row(feature)[label], 0.0f) + kSmoothing;
    const float total =
        std::max(all - counts.row(entries)[label], 0.0f) + kSmoothing * static_cast<float>(entries);
    scores[static_cast<std::size_t>(label)] = std::log(total) - std::log(others);
    mean += scores[static_cast<std::size_t>(label)] / static_cast<float>(classes);
  }
  for (float& score : scores) score -= mean;
}

Var NaiveBayes::operator()(Context& context, std::span<const std::int32_t> features,
                           std::span<const float> values, const Layout& layout,
                           std::span<const std::int32_t> labels) const {
  const Tensor& counts = counts_->value;
  const Index classes = counts.columns(), entries = entries_of(counts);
  const float* of_class = counts.row(entries);
  const float all = sum_of(counts, entries);
  const Tensor scores = context.arena().tensor({layout.count(), classes});
  for (Index s = 0; s < layout.count(); ++s) {
    const std::int32_t own = labels.empty() ? kNoAnswer : labels[static_cast<std::size_t>(s)];
    // Leave-one-out: subtract the text's own values, except from its own class, whose complement
    // never had them.
    const auto left_out = [&](Index label, float value) {
      return own == kNoAnswer || own == label ? 0.0f : value;
    };
    float total = 0.0f;
    float* score = scores.row(s);
    std::fill_n(score, classes, 0.0f);
    for (Index i = layout.begin(s); i < layout.end(s); ++i) {
      const float value = values[static_cast<std::size_t>(i)];
      const std::int32_t feature = features[static_cast<std::size_t>(i)];
      const float* row = counts.row(feature);
      const float here = sum_of(counts, feature);
      total += value;
      for (Index label = 0; label < classes; ++label) {
        const float others = std::max(here - row[label] - left_out(label, value), 0.0f);
        score[label] -= value * std::log(others + kSmoothing);
      }
    }
    float mean = 0.0f;
    for (Index label = 0; label < classes; ++label) {
      const float others = std::max(all - of_class[label] - left_out(label, total), 0.0f);
      score[label] += total * std::log(others + kSmoothing * static_cast<float>(entries));
      mean += score[label] / static_cast<float>(classes);
    }
    for (Index label = 0; label < classes; ++label) score[label] -= mean;
  }
  const auto first = context.arena().array<std::int32_t>(layout.count());
  std::fill(first.begin(), first.end(), 0);
  const Var weight = grad::embedding(context, first, *weight_);  // (sequences, classes)
  return grad::multiply(context, weight, context.constant(scores, "naive Bayes"));
}

}  // namespace heed
