#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/eval/bootstrap.h"
#include "heed/eval/score.h"

namespace heed {

// One text with any number of labels, all as indices.
struct LabelledExample {
  std::vector<std::int32_t> truth;   // each once
  std::vector<std::int32_t> said;    // each once
  std::vector<std::int32_t> ranked;  // the most likely ones, best first, said or not
};

// How well several labels at once were predicted. The numbers are those of scikit-learn: micro F1
// counts all pairs of a text and a label together, macro F1 is the plain mean over the labels that
// occur in truth or prediction, with an F1 of 0 for what was never right.
struct MultiLabel {
  Index examples = 0;
  ClassScore all;  // pairs of a text and a label
  Measure micro_f1, macro_f1;
  double exact = 0.0;        // the share of texts with exactly the right labels
  double labels_each = 0.0;  // in truth, on average
  // Precision at k: of the k most likely labels of a text, how many are right, on average.
  struct AtK {
    Index k = 0;
    double precision = 0.0;
  };
  std::vector<AtK> at;
  std::vector<ClassScore> scores;  // (labels)
};

inline constexpr Index kRanked = 5;  // labels of LabelledExample::ranked that are looked at

// `labels` is how many there are.
MultiLabel score_labels(std::span<const LabelledExample> examples, Index labels,
                        const BootstrapOptions& options = {});

// For people, and as a JSON object for programs. `names` (labels); `thresholds` (labels) or empty.
std::string report(const MultiLabel& result, std::span<const std::string> names,
                   std::span<const float> thresholds = {});
void write_json(const JsonPlace& place, const MultiLabel& result,
                std::span<const std::string> names, std::span<const float> thresholds = {});

}  // namespace heed
