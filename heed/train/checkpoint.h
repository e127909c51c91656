#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/model/safetensors.h"
#include "heed/train/trainer.h"

namespace heed {

// All that a training run needs to go on as if it had never stopped, in one checksummed file that
// is written whole or not at all. `metadata` tells what it belongs to.
void save_checkpoint(const std::string& path, Trainer& trainer, Metadata metadata = {});
// A file that is not of this run (other parameters, other sizes) is a FormatError.
void load_checkpoint(const SafetensorsFile& file, Trainer& trainer);
// How large such a file is, but for its header.
std::uintmax_t checkpoint_bytes(Parameters& parameters, const AdamWOptions& options);

// Lines of training.jsonl.
std::string evaluation_lines(std::span<const Evaluation> evaluations);
std::vector<Evaluation> parse_evaluations(std::string_view lines, const std::string& file);

}  // namespace heed
