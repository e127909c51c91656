#pragma once

#include <CLI/CLI.hpp>

namespace heed::cli {

// heed compare classify | tag: which body, or which flags, are better on some data.
void add_compare(CLI::App& app);

}  // namespace heed::cli
