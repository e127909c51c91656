#include "heed/model/output/tag_measures.h"

#include <algorithm>

#include "heed/eval/report.h"

namespace heed {

void TagMeasures::add(const Answer& truth, const Prediction& prediction) {
  std::vector<std::int32_t>& tags = truth_.emplace_back();
  each_name(truth, [&](const std::string& name) {
    // A tag that training has not seen is one that no prediction is.
    tags.push_back(index_.add(name));
    if (tags.back() == std::ssize(names_)) names_.push_back(name);
  });
  std::vector<std::int32_t>& predicted = predicted_.emplace_back();
  for (const auto& candidates : prediction.rows) predicted.push_back(candidates.front().index);
  predicted.resize(tags.size(), kNoAnswer);
  const std::size_t rows = std::min({tags.size(), prediction.rows.size(), prediction.truth.size()});
  for (std::size_t row = 0; row < rows; ++row) {
    calibration_.add(tags[row] == predicted[row], prediction.rows[row].front().probability,
                     prediction.truth[row], tags[row] < tags_);
  }
}

double TagMeasures::score() const {
  const Tagging result = score_tags(TagScheme(names_), truth_, predicted_, {.resamples = 0});
  return result.has_spans ? result.micro_f1.value : result.token_accuracy.value;
}

std::string TagMeasures::score_name() const {
  return TagScheme(names_).has_spans() ? "F1" : "accuracy";
}

std::vector<NamedScore> TagMeasures::scores() const {
  const bool spans = TagScheme(names_).has_spans();
  if (truth_.empty()) {
    return spans ? std::vector<NamedScore>{{"F1"}, {"accuracy"}}
                 : std::vector<NamedScore>{{"accuracy"}};
  }
  const Tagging all = score_tags(TagScheme(names_), truth_, predicted_, {.resamples = 0});
  if (!spans) return {{"accuracy", all.token_accuracy.value}};
  return {{"F1", all.micro_f1.value}, {"accuracy", all.token_accuracy.value}};
}

std::string TagMeasures::report() const {
  return heed::report(score_tags(TagScheme(names_), truth_, predicted_)) +
         heed::report(calibration_.result());
}

void TagMeasures::write(const JsonPlace& place) const {
  write_json(place, score_tags(TagScheme(names_), truth_, predicted_));
  write_json(place, calibration_.result());
}

// Of spans twice the right ones, and those of both sides: F1 is their quotient. Of tags the right
// ones, and all.
std::vector<std::vector<double>> TagMeasures::sums() const {
  const TagScheme scheme(names_);
  std::vector<std::vector<double>> sums;
  for (std::size_t i = 0; i < truth_.size(); ++i) {
    double right = 0.0, all = 0.0;
    if (scheme.has_spans()) {
      const std::vector<TagSpan> meant = spans_of(scheme, truth_[i]);
      for (const TagSpan& span : spans_of(scheme, predicted_[i])) {
        right += std::find(meant.begin(), meant.end(), span) == meant.end() ? 0.0 : 2.0;
        all += 1.0;
      }
      all += static_cast<double>(meant.size());
    } else {
      for (std::size_t word = 0; word < truth_[i].size(); ++word) {
        right += truth_[i][word] == predicted_[i][word] ? 1.0 : 0.0;
      }
      all = static_cast<double>(truth_[i].size());
    }
    sums.push_back({right, all});
  }
  return sums;
}

}  // namespace heed
