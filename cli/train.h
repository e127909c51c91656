#pragma once

#include <CLI/CLI.hpp>

namespace heed::cli {

// heed train classify | tag: from a file to a model.
void add_train(CLI::App& app);

}  // namespace heed::cli
