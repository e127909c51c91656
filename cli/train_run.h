#pragma once

#include <string>

#include "cli/train_options.h"
#include "heed/train/run.h"

namespace heed::cli {

// Trains a model and shows how it goes; how good it is comes last. A run that is stopped ends with
// Exit.
void train(TrainFlags& flags);
// Goes on with a run that was stopped, perhaps with other limits.
void resume(const std::string& folder, const ResumeOptions& anew);

}  // namespace heed::cli
