#pragma once

#include <string>
#include <vector>

#include "heed/eval/calibration.h"
#include "heed/model/output/classes.h"

namespace heed {

// How good tags are: of each word, and of spans where they mark any.
class TagMeasures : public Measures {
 public:
  explicit TagMeasures(const std::vector<std::string>& names)
      : names_(names), index_(names), tags_(std::ssize(names)) {}

  // Words that the model does not read are not right.
  void add(const Answer& truth, const Prediction& prediction) override;
  double score() const override;
  std::string score_name() const override;
  std::vector<NamedScore> scores() const override;
  std::string report() const override;
  void write(const JsonPlace& place) const override;
  std::vector<std::vector<double>> sums() const override;
  double score_of(std::span<const double> sums) const override { return sums[0] / sums[1]; }

 private:
  std::vector<std::string> names_;
  ClassIndex index_;
  Index tags_;  // that the model has
  std::vector<std::vector<std::int32_t>> truth_, predicted_;
  CalibrationSums calibration_;
};

}  // namespace heed
