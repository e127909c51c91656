#pragma once

#include <string>
#include <vector>

#include "heed/train/text_data.h"

namespace heed {

// What is known of the task before anything is read.
Config default_config(OutputKind task);
// Width, layers and the like by name: tiny, small, base. An unknown name is a UsageError.
void apply_preset(const std::string& name, Config& config);

// What the data adds: long texts are read without attention. Whether they are long.
bool choose_body(const TextData& data, Config& config);
// For each name a weight that makes up for how rare it is.
std::vector<float> balanced_weights(const TextData& data, const std::vector<std::string>& names);

}  // namespace heed
