#pragma once

#include <functional>
#include <span>
#include <vector>

#include "heed/eval/bootstrap.h"

// Which of two things is better, asked of the same test examples.
namespace heed {

// What several runs of one kind, with different seeds, got right: of run s, right[s][i] of the
// answers to example i.
struct Outcomes {
  std::vector<std::vector<Index>> right;  // (runs, examples)
};

// The share of answers that are right, the mean of all runs, with its interval. `answers`
// (examples) says how many each example has: 1 for labels, one for each word for tags. Examples and
// runs are both drawn again: another test set, and other seeds, would have given another number.
// With few runs the interval is a little too narrow.
Measure right_share(const Outcomes& outcomes, const std::vector<Index>& answers,
                    const BootstrapOptions& options = {});

struct PairedDifference {
  double value = 0.0;  // share of the first minus share of the second
  Interval interval;
  double p = 1.0;  // chance of a difference this far from 0 where there is none; two-sided
};

// The paired bootstrap (Efron and Tibshirani 1993; for such scores Koehn 2004): each time the same
// examples are drawn for both, so that what is hard for both does not count; runs are drawn for
// each by itself.
PairedDifference paired_difference(const Outcomes& first, const Outcomes& second,
                                   const std::vector<Index>& answers,
                                   const BootstrapOptions& options = {});

// The same for a score that is made of sums over the examples, such as F1 or BLEU: of example i the
// first adds first[i] to them, the second second[i]. Both have as many examples and sums.
using ScoreOfSums = std::function<double(std::span<const double> sums)>;
PairedDifference paired_difference(const std::vector<std::vector<double>>& first,
                                   const std::vector<std::vector<double>>& second,
                                   const ScoreOfSums& score, const BootstrapOptions& options = {});

// Holm's correction (1979): with several tests, one of them comes out by chance more easily. In the
// order in which they came.
std::vector<double> holm(const std::vector<double>& p);

}  // namespace heed
