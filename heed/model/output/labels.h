#pragma once

#include "heed/data/content.h"
#include "heed/model/output/classes.h"
#include "heed/nn/pooling.h"

namespace heed {

struct LabelsOptions {
  nn::PoolingKind pooling = nn::PoolingKind::kMean;
  Index hidden = 0;  // numbers of a layer between pooling and classifier; 0: none
  nn::Activation activation = nn::Activation::kSigmoid;  // of that layer
  // A label is an answer from this probability on; 0: chosen on held-out data.
  float threshold = 0.0f;
  std::vector<float> thresholds;  // of each label, once they are chosen
  ClassOptions classes{};
};
template <class Archive>
void describe(Archive& archive, LabelsOptions& options);

// Any number of labels for the whole sequence, each decided for itself: pooling, perhaps a hidden
// layer, a linear layer, and a sigmoid for each label. The loss is binary cross-entropy, summed
// over the labels.
//   (rows, width) → (sequences, labels).  Parameters as those of the output label.
//
// A prediction has candidates by their probability. Asked for one, it is those that reach their
// thresholds, perhaps none; asked for more, the most likely ones.
class LabelsOutput : public ClassOutput<LabelsOutput, LabelsOptions> {
 public:
  AnswerKind answer_kind() const override { return AnswerKind::kLabels; }
  std::string purpose(ContentKind content) const override {
    return "gives any number of labels to " + plural(content);
  }

  void fit(const Dataset& all, bool will_be_split) override;
  void fit_more(const Dataset& all) override {
    ClassOutput::fit_more(all);
    options_.thresholds.clear();  // chosen anew
  }
  void learn(const Dataset& train) override;
  void prepare(const Answer& answer, Batch& batch) const override;
  double weight(const Batch& batch) const override {
    return static_cast<double>(batch.sequences());
  }
  std::string summary() const override;

  std::unique_ptr<OutputNetwork> network(const Scope& scope, Index width) const override;
  // Biases begin at the frequencies of the labels. From 0 they would take many steps to become as
  // rare as most labels are.
  void initialize(const Scope& scope) const override;
  std::unique_ptr<Measures> measures() const override;
  Index measured_candidates() const override { return kQuickly; }
  void choose(Prediction& prediction, Index top) const override;
  bool chooses() const override { return true; }
  bool calibrates() const override { return true; }
  void calibrate(std::span<const Answer* const> truths,
                 std::span<const Prediction> predictions) override;

  Answer answer(const Record& record, const Prediction& prediction) const override;
  std::string answer_text(const Record& record, const Prediction& prediction) const override;
  void write_answer(const JsonPlace& place, const Record& record,
                    const Prediction& prediction) const override;
  // One column with all labels, a | between them.
  std::vector<KeptCell> cells(const Record& record, const Prediction& prediction,
                              Index top) const override;
  // A text with a label too few or too many.
  std::vector<Mistake> mistakes(const Record& record, const Prediction& prediction) const override;

 private:
  float threshold_of(std::int32_t label) const;

  std::vector<float> frequencies_;  // in the training data, for initialize()
};

}  // namespace heed
