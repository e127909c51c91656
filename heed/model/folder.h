#pragma once

#include <memory>
#include <string>

#include "heed/data/text/tokenizer.h"
#include "heed/model/model.h"
#include "heed/model/safetensors.h"
#include "heed/model/text_examples.h"

namespace heed {

// A model in its folder: config.json, model.safetensors and the tokenizer's own files. Each file is
// written whole or not at all. Everything is checked on reading: a missing, truncated, oversized or
// altered file is a FormatError or IoError that names it. The weights know the checksums of the
// other files, for they mean nothing beside others.
//
// While a run trains a model for the folder, what belongs to the new one is in checkpoint/ there
// (train/run_folder.h). A folder without weights of its own is what its checkpoint/ is.

inline constexpr const char* kWeightsFile = "model.safetensors";
// The files that the weights belong to; which of the tokenizer's are there depends on its kind.
inline constexpr const char* kDescriptionFiles[] = {
    "config.json", "tokenizer.txt", "vocabulary.txt", "pairs.txt", "tokenizer.model"};
// Where in a model's folder a run works.
std::string run_folder(const std::string& folder);

// A model that can be used.
struct LoadedModel {
  std::unique_ptr<Model> model;
  std::shared_ptr<const Tokenizer> tokenizer;

  TextExamples examples() const { return TextExamples(model->config(), tokenizer); }
};

LoadedModel load_model(const std::string& folder);

// The config and the tokenizer, which do not change while the weights are trained.
void save_description(const std::string& folder, const Config& config, const Tokenizer& tokenizer);
// Afterwards, into the same folder.
void save_weights(const std::string& folder, const Parameters& parameters);

// For what belongs to the files of save_description() as the weights do: their checksums, to be
// kept as metadata, and a FormatError that names the file if one was changed since.
Metadata description_checksums(const std::string& folder);
void check_description(const std::string& folder, const SafetensorsFile& file);

// What was saved by save_description() alone.
Config load_config(const std::string& folder);
std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& folder, const Config& config);

}  // namespace heed
