#pragma once

#include <CLI/CLI.hpp>

namespace heed::cli {

// heed predict: what a model says about new text.
void add_predict(CLI::App& app);

}  // namespace heed::cli
