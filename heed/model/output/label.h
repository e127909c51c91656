#pragma once

#include "heed/model/output/classes.h"
#include "heed/nn/pooling.h"

namespace heed {

struct LabelOptions {
  nn::PoolingKind pooling = nn::PoolingKind::kMean;
  Index hidden = 0;  // numbers of a layer between pooling and classifier; 0: none
  nn::Activation activation = nn::Activation::kSigmoid;  // of that layer
  float temperature = 1.0f;  // of the probabilities: see best_temperature()
  // Of two passes with different dropout, the weight of what they disagree in (R-Drop); 0: one
  // pass.
  float consistency = 0.0f;
  ClassOptions classes{};
};
template <class Archive>
void describe(Archive& archive, LabelOptions& options);

// One answer for the whole sequence: pooling, perhaps a hidden layer, and a linear layer.
//   (rows, width) → (sequences, classes).
//   Parameters: scores (attention pooling), hidden (where there is one), last.
class LabelOutput : public ClassOutput<LabelOutput, LabelOptions> {
 public:
  // Columns of batch.answer; the last two only where sequences are mixed.
  enum Column : std::size_t {
    kLabel,       // integers: the class
    kOtherLabel,  // integers: the class of what was mixed in
    kShare = 0,   // numbers: its share
  };

  AnswerKind answer_kind() const override { return AnswerKind::kLabel; }
  std::string purpose(ContentKind content) const override {
    return "classifies " + plural(content);
  }

  void fit(const Dataset& all, bool will_be_split) override;
  void prepare(const Answer& answer, Batch& batch) const override;
  bool takes_wide() const override { return true; }
  double weight(const Batch& batch) const override;
  bool can_mix() const override { return true; }
  void mix(Batch& batch, const Batch& other, float share) const override;

  std::unique_ptr<OutputNetwork> network(const Scope& scope, Index width) const override;
  std::unique_ptr<Measures> measures() const override;

  void choose(Prediction& prediction, Index top) const override;
  bool chooses() const override { return options_.temperature != 1.0f; }
  void calibrate(std::span<const Answer* const> truths,
                 std::span<const Prediction> predictions) override;
  bool calibrates() const override { return true; }

  Answer answer(const Record& record, const Prediction& prediction) const override;
  std::string answer_text(const Record& record, const Prediction& prediction) const override;
  void write_answer(const JsonPlace& place, const Record& record,
                    const Prediction& prediction) const override;
  std::vector<std::string> column_names(Index top) const override;
  std::vector<KeptCell> cells(const Record& record, const Prediction& prediction,
                              Index top) const override;
  std::vector<Mistake> mistakes(const Record& record, const Prediction& prediction) const override;
};

}  // namespace heed
