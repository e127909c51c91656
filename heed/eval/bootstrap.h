#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// A range that holds the true score with this confidence, as far as the test examples can tell.
struct Interval {
  double low = 0.0;
  double high = 0.0;
  double confidence = 0.95;
};

// A score with its interval.
struct Measure {
  double value = 0.0;
  Interval interval;
};

// Wilson's score interval (1927) for a share of independent examples: never of width 0, so that 6
// of 6 gives 61 to 100 %.
Interval wilson(Index right, Index examples, double confidence = 0.95);

struct BootstrapOptions {
  int resamples = 1000;  // 0: the score alone, its interval a point
  double confidence = 0.95;
  std::uint64_t seed = 1;
};

// Writes the scores of a test set of which counts[k] examples are of kind k.
using ScoresOfKinds = std::function<void(std::span<const Index> counts, std::span<double> scores)>;

// Where every example was wholly right (a score of 1) or wholly wrong (0), drawing them again gives
// the same score each time. The other end is then that of Wilson's interval for so many examples.
Interval where_all_agree(Interval interval, Index examples);

// Percentile bootstrap (Efron): the test set is drawn again from itself, with replacement, many
// times, and each interval spans the middle of the scores found, widened to the score of the test
// set itself where a skewed score (macro F1 of tiny classes) would leave it outside.
//
// Examples that count alike are of one kind (a cell of a confusion matrix, say), so a resample is
// one multinomial draw: its cost grows with the kinds and not with the examples, and the order of
// the examples cannot matter.
//
//   counts (kinds) → `measures` scores, each with its interval
std::vector<Measure> bootstrap(std::span<const Index> counts, std::size_t measures,
                               const ScoresOfKinds& scores, const BootstrapOptions& options);

}  // namespace heed
