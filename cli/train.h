#pragma once

#include <CLI/CLI.hpp>

#include "cli/train_options.h"

namespace heed::cli {

// heed train classify | tag: from a file to a model.
void add_train(CLI::App& app);

// The flags of heed train about the model and about training, in groups of their own. `start` has
// the defaults that help shows.
void add_model_flags(CLI::App& app, TrainFlags& flags, const Config& start);
void add_training_flags(CLI::App& app, TrainFlags& flags, const Config& start);

}  // namespace heed::cli
