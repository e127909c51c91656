#pragma once

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/data/text/read_options.h"
#include "heed/model/config.h"

namespace heed::cli {

// The flags by which a file is read: --format, --delimiter, --text-column,
// --label-column, --tag-column.
void add_read_flags(CLI::App& app, TextReadOptions& options, OutputKind task);
// For commands that learn the task from the model; where labels are optional, lines are read too.
void add_read_flags(CLI::App& app, TextReadOptions& options, Labels labels);

// What `open` gives. Where the kind of file is wrong, the message also says what the model does.
template <typename Open>
auto opened(const std::string& model, OutputKind task, const Open& open) {
  try {
    return open();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}; {} is a model that {}", error.what(), model,
                                 task == OutputKind::kLabel ? "classifies texts" : "tags words"));
  }
}

}  // namespace heed::cli
