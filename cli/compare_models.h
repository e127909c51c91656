#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/model/output.h"

namespace heed::cli {

// One of the models that `evaluate` compares, and its answers to the test examples.
struct ComparedModel {
  std::string folder;
  std::unique_ptr<Measures> measures;
};

// Two or more models on the same examples: the score of each, and how each differs from the first
// by the paired bootstrap. Models whose scores are of different kinds are a UsageError.
std::string compared_text(const std::vector<ComparedModel>& models);
void write_compared(const JsonPlace& place, const std::vector<ComparedModel>& models);

}  // namespace heed::cli
