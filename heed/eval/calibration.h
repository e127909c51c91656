#pragma once

#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/tensor/shape.h"

namespace heed {

// Whether probabilities can be believed: of answers with a probability of 0.8, are 8 in 10 right?
struct Calibration {
  Index answers = 0;
  // Expected calibration error (Guo et al. 2017): |share of right answers − mean probability| of 15
  // equally wide groups of probabilities, the mean over answers.
  double error = 0.0;
  // The mean of −ln of the probability of the true class. Answers whose true class the model does
  // not have would make it infinite: they are left out here and counted.
  double log_loss = 0.0;
  Index unknown = 0;
  // What is left when only answers of at least this probability are taken.
  struct Threshold {
    double probability = 0.0;
    Index answered = 0, right = 0;
  };
  std::vector<Threshold> thresholds;
};

// Answers one after another; then their calibration.
class CalibrationSums {
 public:
  // `probability` of the answer that was given, `truth` of the true one.
  void add(bool right, double probability, double truth, bool known);
  Index count() const { return static_cast<Index>(given_.size()); }
  Calibration result() const;

 private:
  struct Given {
    float probability;
    bool right;
  };
  std::vector<Given> given_;
  double log_loss_ = 0.0;
  Index unknown_ = 0;
};

// For people and for programs. Nothing where there are no answers.
std::string report(const Calibration& calibration);
void write_json(const JsonPlace& place, const Calibration& calibration);

}  // namespace heed
