#pragma once

#include <CLI/CLI.hpp>

namespace heed::cli {

// heed describe: the steps of a model, with shapes, parameters and FLOPs.
void add_describe(CLI::App& app);

}  // namespace heed::cli
