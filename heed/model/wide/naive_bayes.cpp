#include "heed/model/wide/naive_bayes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace heed {
namespace {

constexpr double kSmoothing = 0.05;  // added to how often each feature is in every class

}  // namespace

void learn_naive_bayes(const LabelledFeatures& texts, const Tensor& scores) {
  const Index entries = scores.rows(), classes = scores.columns();
  std::fill_n(scores.data, scores.count(), 0.0f);
  std::vector<double> of_class(static_cast<std::size_t>(classes), 0.0);
  for (Index i = 0; i < texts.count(); ++i) {
    const std::int32_t label = texts.label(i);
    const auto features = texts.features(i);
    const auto values = texts.values(i);
    for (std::size_t f = 0; f < features.size(); ++f) {
      scores.row(features[f])[label] += values[f];
      of_class[static_cast<std::size_t>(label)] += static_cast<double>(values[f]);
    }
  }
  const double all = std::accumulate(of_class.begin(), of_class.end(), 0.0);
  std::vector<double> totals;  // logarithms of all that the other classes have
  for (const double own : of_class) {
    totals.push_back(std::log(all - own + kSmoothing * static_cast<double>(entries)));
  }
  for (Index feature = 0; feature < entries; ++feature) {
    float* row = scores.row(feature);
    const double here = std::accumulate(row, row + classes, 0.0);
    double mean = 0.0;
    for (Index label = 0; label < classes; ++label) {
      const double others = std::max(here - static_cast<double>(row[label]), 0.0) + kSmoothing;
      const double score = totals[static_cast<std::size_t>(label)] - std::log(others);
      row[label] = static_cast<float>(score);
      mean += score / static_cast<double>(classes);
    }
    for (Index label = 0; label < classes; ++label) row[label] -= static_cast<float>(mean);
  }
}

}  // namespace heed
