#pragma once

#include <CLI/CLI.hpp>

namespace heed::cli {

// heed bench: how fast this machine trains and runs the standard workloads.
void add_bench(CLI::App& app);

}  // namespace heed::cli
