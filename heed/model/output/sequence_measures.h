#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/model/output/sequence.h"

namespace heed {

// How good written texts are. All measures that make sense of the kind are reported; the first is
// the one that chooses weights.
class SequenceMeasures : public Measures {
 public:
  SequenceMeasures(SequenceMeasure kind, std::shared_ptr<const Tokenizer> tokenizer)
      : kind_(kind), tokenizer_(std::move(tokenizer)) {}

  void add(const Answer& truth, const Prediction& prediction) override;
  double score() const override;
  std::string score_name() const override;
  std::vector<NamedScore> scores() const override {
    const bool errors = kind_ == SequenceMeasure::kWordErrors;
    return {{score_name(), score(), errors ? ScoreForm::kErrors : ScoreForm::kHundred}};
  }
  std::string report() const override;
  void write(const JsonPlace& place) const override;
  std::vector<std::vector<double>> sums() const override;
  double score_of(std::span<const double> sums) const override;

 private:
  SequenceMeasure kind_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<std::string> said_, meant_;
};

}  // namespace heed
