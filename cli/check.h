#pragma once

#include <CLI/CLI.hpp>

namespace heed::cli {

// heed check: what data is like, before anything learns from it.
void add_check(CLI::App& app);

}  // namespace heed::cli
