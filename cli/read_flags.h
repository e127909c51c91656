#pragma once

#include <CLI/CLI.hpp>

#include "heed/data/text/read_options.h"
#include "heed/model/config.h"

namespace heed::cli {

// The flags by which a file is read: --format, --text-column, --label-column, --tag-column.
void add_read_flags(CLI::App& app, TextReadOptions& options, OutputKind task);
// For commands that learn the task from the model.
void add_read_flags(CLI::App& app, TextReadOptions& options);

}  // namespace heed::cli
