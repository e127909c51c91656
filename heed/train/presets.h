#pragma once

#include <string>
#include <vector>

#include "heed/train/settings.h"

namespace heed {

// A preset by its name: a size (tiny, small, base: size_preset()), or a whole network that is known
// by name, such as a tutorial's. What a network is made of is said by the paths of its options. An
// unknown name, or a network for other data or answers, is a UsageError.
void apply_preset(const std::string& name, Settings& settings);

// Those for an output: "tiny", …
std::vector<std::string> preset_names(const std::string& output);

}  // namespace heed
