#include "heed/model/folder.h"

#include "heed/base/file.h"
#include "heed/model/config_json.h"
#include "heed/model/safetensors.h"

namespace heed {
namespace {

constexpr const char* kConfig = "/config.json";
constexpr const char* kWeights = "/model.safetensors";

}  // namespace

Config load_config(const std::string& folder) {
  const std::string path = folder + kConfig;
  if (!file_exists(path)) {
    throw IoError(folder + ": is not a model: it has no config.json");
  }
  return parse_config(read_file(path), path);
}

LoadedModel load_model(const std::string& folder) {
  Config config = load_config(folder);
  const std::string path = folder + kWeights;
  if (!file_exists(path)) {
    throw IoError(folder +
                  ": has no model.safetensors: its training has not finished; go on with " +
                  "heed train --resume " + folder);
  }
  LoadedModel loaded;
  loaded.tokenizer = Tokenizer::load(folder);
  if (loaded.tokenizer->size() != config.text.entries) {
    throw FormatError(folder + ": the tokenizer has " + std::to_string(loaded.tokenizer->size()) +
                      " entries, config.json says " + std::to_string(config.text.entries) +
                      ": one of them was changed");
  }
  const SafetensorsFile file = SafetensorsFile::open(path);
  loaded.model = std::make_unique<Model>(std::move(config));
  load_parameters(loaded.model->parameters(), file);
  return loaded;
}

void save_description(const std::string& folder, const Config& config, const Tokenizer& tokenizer) {
  make_folder(folder);
  tokenizer.save(folder);
  write_file(folder + kConfig, config_text(config));
}

void save_weights(const std::string& folder, const Parameters& parameters) {
  save_parameters(parameters, folder + kWeights, {{"format", "heed"}});
}

}  // namespace heed
