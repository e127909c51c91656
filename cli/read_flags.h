#pragma once

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include "heed/base/error.h"
#include "heed/data/read_options.h"
#include "heed/model/model.h"

namespace heed::cli {

// The flags by which a file is read: --format, --delimiter, --text-column,
// --label-column, --tag-column. For a command that knows what the answers are.
void add_read_flags(CLI::App& app, ReadOptions& options, AnswerKind answer);
// For commands that learn it from the model; where answers are optional, lines are read too.
void add_read_flags(CLI::App& app, ReadOptions& options, Answers answers);

// For sound on standard input, to predict.
void add_sound_flags(CLI::App& app, ReadOptions& options);

// The options with what a model knows: what its answers are, and its columns.
ReadOptions for_model(ReadOptions options, const Model& model);

// What a model does: "classifies pictures".
inline std::string purpose(const Config& config) {
  return config.output->purpose(config.input->content());
}

// Says on standard error that a model's training was stopped, where it was.
void tell_unfinished(const std::string& folder);

// What `open` gives. Where the kind of file is wrong, the message also says what the model does.
template <typename Open>
auto opened(const std::string& folder, const Model& model, const Open& open) {
  try {
    return open();
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("{}; {} is a model that {}", error.what(), folder, purpose(model.config())));
  }
}

}  // namespace heed::cli
