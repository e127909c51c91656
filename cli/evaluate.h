#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "heed/data/read_options.h"

namespace heed::cli {

// heed evaluate: how good a model is on labelled data.
void add_evaluate(CLI::App& app);

// Prints the report and keeps it as metrics.json in the model's folder.
void evaluate_and_record(const std::string& folder, const std::vector<std::string>& data,
                         const ReadOptions& read, int workers);

}  // namespace heed::cli
