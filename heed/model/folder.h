#pragma once

#include <memory>
#include <string>

#include "heed/data/text/tokenizer.h"
#include "heed/model/model.h"
#include "heed/model/text_examples.h"

namespace heed {

// A model in its folder: config.json, model.safetensors and the tokenizer's own files. Each file is
// written whole or not at all. Everything is checked on reading: a missing, truncated, oversized or
// altered file is a FormatError or IoError that names it. The weights know the checksums of the
// other files, for they mean nothing beside others.

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

// What was saved by save_description() alone.
Config load_config(const std::string& folder);
std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& folder, const Config& config);

}  // namespace heed
