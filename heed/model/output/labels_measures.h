#pragma once

#include <string>
#include <vector>

#include "heed/eval/multilabel.h"
#include "heed/eval/thresholds.h"
#include "heed/model/output/classes.h"

namespace heed {

// A truth and a prediction as choose_thresholds() wants them; labels that are not in the index are
// in the truth as kNoAnswer.
ScoredLabels scored_labels(const Answer& truth, const Prediction& prediction,
                           const ClassIndex& index);

// How good several labels at once are. Without thresholds the one is taken that is best for all
// labels on the data that is measured, which is how weights are compared while they are learned.
class LabelsMeasures : public Measures {
 public:
  LabelsMeasures(std::vector<std::string> names, std::vector<float> thresholds);

  void add(const Answer& truth, const Prediction& prediction) override;
  double score() const override;  // micro F1
  std::string score_name() const override { return "micro F1"; }
  std::vector<NamedScore> scores() const override;
  std::string report() const override;
  void write(const JsonPlace& place) const override;

 private:
  std::vector<float> thresholds() const;
  MultiLabel result(const BootstrapOptions& options = {}) const;

  std::vector<std::string> names_;  // those that training has not seen come last
  ClassIndex index_;
  std::vector<float> thresholds_;  // of those that it has
  Index known_;
  std::vector<ScoredLabels> texts_;
};

}  // namespace heed
