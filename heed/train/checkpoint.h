#pragma once

#include <string>

#include "heed/train/trainer.h"

namespace heed {

// All that a training run needs to go on as if it had never stopped, in one checksummed file that
// is written whole or not at all.
void save_checkpoint(const std::string& path, Trainer& trainer);
// A file that is not of this run (other parameters, other sizes) or was altered is a FormatError.
void load_checkpoint(const std::string& path, Trainer& trainer);

// A line of training.jsonl.
std::string evaluation_line(const Evaluation& evaluation);

}  // namespace heed
