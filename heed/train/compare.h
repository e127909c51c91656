#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/eval/comparison.h"
#include "heed/train/run.h"

namespace heed {

enum class Match {
  kNone,
  kParameters,  // bodies of about the size of the first one
  kTime,        // the same time for each, which their options have
};

struct CompareVariant {
  std::string name, flags;  // as the report shows them
  RunOptions run{};         // of its files only the first variant's are read
  bool matched = true;      // whether its body may be scaled
};

struct CompareOptions {
  std::string task, command;  // as the report shows them
  std::vector<CompareVariant> variants;
  Match match = Match::kParameters;
  Index seeds = 3;
  std::vector<double> amounts = {1.0};  // of the training data, shares of 1
  // Of the made sequences on which speed and memory are measured.
  std::vector<Index> lengths = {16, 64, 256, 1024, 4096};
};

struct CompareEvents {
  Notes note;
  // How much of all the work is done, from 0 to 1, the seconds that the rest will take (NaN while
  // nobody knows), and what is trained now.
  std::function<void(double done, double left, const std::string& text)> progress;
  std::function<void(const ComparedRun&, const std::string& name)> finished;
};

// Trains every variant on the same data with each seed and each amount, and writes report.html,
// report.json and the plots into the folder. Each run's result is kept in runs/ there as soon as it
// is known: called again with the same options, it goes on where it was stopped, with the run that
// was in progress begun anew. A folder with another comparison in it is a UsageError.
//
// Without test files, two parts of the data are held out, by the first variant's seed: one chooses
// the best weights of each run, the other judges. Returns what was found, in plain words; nothing
// where it was stopped.
std::optional<std::vector<std::string>> compare(const std::string& folder,
                                                const CompareOptions& options,
                                                const CompareEvents& events,
                                                const std::atomic<bool>& stop);

// The first `count` of these are a sample of the data with about the same share of every label, and
// every label at least once where `count` allows it; samples are nested.
std::vector<Index> nested_order(const Dataset& data, std::uint64_t seed);

}  // namespace heed
