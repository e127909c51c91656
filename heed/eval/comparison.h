#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/eval/paired.h"

// Several models trained on the same data, and which of them is better.
namespace heed {

// One model that was trained.
struct ComparedRun {
  std::size_t variant = 0;  // its place in Comparison::variants
  double amount = 1.0;      // of the training data, a share of 1
  Index examples = 0;       // that it learned from
  std::uint64_t seed = 1;
  double score = 0.0;    // on the test examples
  double seconds = 0.0;  // of training
  struct Evaluation {
    double seconds = 0.0, score = 0.0;  // on the examples that choose the best weights
  };
  std::vector<Evaluation> evaluations;
  std::vector<Index> right;  // (test examples): answers that are right
};

// How a body does on sequences of one length, forward and backward, on one core.
struct LengthSpeed {
  Index length = 0;
  double rows_per_second = 0.0;
  double bytes = 0.0;  // that the pass holds
};

struct ComparedVariant {
  std::string name, flags;
  Index parameters = 0, body_parameters = 0;
  std::vector<LengthSpeed> speeds;
};

struct Comparison {
  std::string task, data, judged_on, command;
  std::string matched;     // a sentence: what is the same for all
  std::string score_name;  // "accuracy"
  std::vector<ComparedVariant> variants;
  std::vector<double> amounts;  // from the smallest
  Index seeds = 1;
  std::vector<Index> answers;  // (test examples): answers that there are
  std::vector<ComparedRun> runs;
};

// A variant at one amount of data.
struct Standing {
  std::size_t variant = 0;
  Index examples = 0;
  double score = 0.0;                  // the mean of its seeds
  double lowest = 0.0, highest = 0.0;  // of its seeds
  Measure right;                       // the share of answers that are right
  double seconds = 0.0;                // of training, the mean
  // How much less it got right than the best, with p corrected for the number of such tests.
  PairedDifference behind;
  bool told_apart() const { return behind.p < 0.05; }  // from the best
};

// The best first. Which answers are right is what is tested; the order is that of the score.
std::vector<Standing> standings(const Comparison& comparison, double amount,
                                const BootstrapOptions& options = {});

// In plain words: which won, by how much, and whether that is more than chance. The first sentence
// is about all of the data.
std::vector<std::string> findings(const Comparison& comparison,
                                  const std::vector<std::vector<Standing>>& by_amount);

// 0.03 → "3 %", 0.005 → "0.5 %"
std::string amount_text(double amount);

}  // namespace heed
