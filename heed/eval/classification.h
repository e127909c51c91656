#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/eval/bootstrap.h"
#include "heed/eval/score.h"

namespace heed {

// How well classes were predicted. The numbers are those of scikit-learn: macro F1 is the plain
// mean over the classes that occur in truth or prediction, weighted F1 the mean weighted by
// support.
struct Classification {
  Index examples = 0;
  Measure accuracy;
  Measure macro_f1;
  double weighted_f1 = 0.0;
  std::vector<ClassScore> scores;  // (classes)
  std::vector<Index> confusion;    // (classes, classes): truth by prediction

  Index classes() const { return static_cast<Index>(scores.size()); }
  // How many examples of class `truth` were taken for class `predicted`.
  Index confused(Index truth, Index predicted) const {
    return confusion[static_cast<std::size_t>(truth * classes() + predicted)];
  }
};

// The mean F1 of the classes that occur, in the truth or among the answers.
double macro_f1(std::span<const ClassScore> scores);

//   truth (examples), predicted (examples), both class indices in 0 … classes − 1
Classification score_classes(std::span<const std::int32_t> truth,
                             std::span<const std::int32_t> predicted, Index classes,
                             const BootstrapOptions& options = {});

}  // namespace heed
