#pragma once

#include <string>

#include "heed/train/options.h"
#include "heed/train/text_run.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, TrainingOptions& options);

// A run as JSON: checkpoint/run.json while it goes, training.json when it is done. With a checksum:
// a run that was changed since is a FormatError.
std::string run_text(const TextRunOptions& options, std::uint64_t fingerprint);
TextRunOptions parse_run(const std::string& text, const std::string& file,
                         std::uint64_t& fingerprint);

}  // namespace heed
