#pragma once

#include <string>
#include <vector>

#include "heed/train/text_data.h"

namespace heed {

// What is known of the task before anything is read.
Config default_config(OutputKind task);
// Width, layers and the like by name: tiny, small, base. An unknown name is a UsageError.
void apply_preset(const std::string& name, Config& config);

// Takes from the defaults what suits words alone, where the tokenizer is another.
void suit_tokenizer(TokenizerOptions::Kind kind, TextInputOptions& text);

// The answers of the data, in the order of the alphabet, as those of the model. Weights that came
// with names stay with them; those without are in this order. Names that are not the data's, or
// another number of weights, are a UsageError.
void settle_answers(const std::vector<std::string>& names, OutputOptions& output);

// What the data adds: long texts are read without attention. Whether they are long.
bool choose_body(const TextData& data, Config& config);
// For each name a weight that makes up for how rare it is.
std::vector<float> balanced_weights(const TextData& data, const std::vector<std::string>& names);

}  // namespace heed
