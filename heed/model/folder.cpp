#include "heed/model/folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "heed/base/checksum.h"
#include "heed/base/file.h"
#include "heed/model/config_json.h"

namespace heed {
namespace {

constexpr const char* kConfig = "/config.json";
constexpr std::string_view kKey = "checksum of ";  // config.json, among the metadata

std::string weights_path(const std::string& folder) { return folder + "/" + kWeightsFile; }

std::string file_checksum(const std::string& path) {
  return checksum_text(checksum(read_file(path)));
}

// Where the files of a model are. In checkpoint/ they are while its first training goes on, and
// when a run was killed that was about to bring them to their place.
std::string place_of(const std::string& folder) {
  const std::string run = run_folder(folder);
  return !file_exists(weights_path(folder)) && file_exists(run + kConfig) ? run : folder;
}

// Why there is no config.json to be read.
[[noreturn]] void refuse_folder(const std::string& folder) {
  const auto is_there = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  const bool entered = is_there(folder + "/.");
  if (entered) is_there(folder + kConfig);
  const int reason = errno;
  if (reason == ENOTDIR) throw IoError(folder + ": is a file, expected a model's folder");
  if (reason != ENOENT) throw IoError(folder + ": cannot read: " + std::strerror(reason));
  throw IoError(folder + (entered ? ": is not a model: it has no config.json"
                                  : ": there is no such folder, expected that of a model"));
}

}  // namespace

std::string run_folder(const std::string& folder) { return folder + "/checkpoint"; }

Metadata description_checksums(const std::string& folder) {
  Metadata metadata;
  for (const char* name : kDescriptionFiles) {
    const std::string path = folder + "/" + name;
    if (file_exists(path)) metadata[std::string(kKey) + name] = file_checksum(path);
  }
  return metadata;
}

void check_description(const std::string& folder, const SafetensorsFile& file) {
  for (const char* name : kDescriptionFiles) {
    const auto expected = file.metadata().find(std::string(kKey) + name);
    if (expected == file.metadata().end()) continue;
    const std::string path = folder + "/" + name;
    if (file_checksum(path) != expected->second) {
      throw FormatError(fmt::format("{}: was changed after {} was written; put the old one back",
                                    path, file.path()));
    }
  }
}

Config load_config(const std::string& folder) {
  if (folder.empty()) throw UsageError("\"\": expected the name of a model's folder");
  const std::string path = place_of(folder) + kConfig;
  if (!file_exists(path)) refuse_folder(folder);
  return parse_config(read_file(path), path);
}

std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& folder, const Config& config) {
  std::shared_ptr<const Tokenizer> tokenizer = Tokenizer::load(folder);
  TextInputOptions counted = config.text;
  count_entries(*tokenizer, counted);
  if (counted.entries != config.text.entries ||
      counted.clues.entries != config.text.clues.entries) {
    throw FormatError(fmt::format(
        "{}: the tokenizer has {} entries, config.json says {}: one of them was changed", folder,
        counted.entries, config.text.entries));
  }
  return tokenizer;
}

LoadedModel load_model(const std::string& folder) {
  const std::string place = place_of(folder);
  const std::string path = weights_path(place);
  const bool running = file_exists(run_folder(folder) + "/run.json");
  if (!file_exists(path) && running) {
    throw IoError(fmt::format(
        "{0}: has no {1}: its training has not finished; go on with heed train --resume {0}",
        folder, kWeightsFile));
  }
  Config config = load_config(place);
  if (!file_exists(path)) {
    throw IoError(fmt::format("{}: has no {}: the weights are lost", folder, kWeightsFile));
  }
  LoadedModel loaded;
  const SafetensorsFile file = SafetensorsFile::open(path);
  check_description(place, file);  // first: the file that was changed is the one to be named
  loaded.tokenizer = load_tokenizer(place, config);
  loaded.model = std::make_unique<Model>(std::move(config), Parameters::Values::kLater);
  load_parameters(loaded.model->parameters(), file);
  return loaded;
}

void save_description(const std::string& folder, const Config& config, const Tokenizer& tokenizer) {
  make_folder(folder);
  tokenizer.save(folder);
  write_file(folder + kConfig, config_text(config));
}

void save_weights(const std::string& folder, const Parameters& parameters) {
  Metadata metadata = description_checksums(folder);
  metadata["format"] = "heed";
  save_parameters(parameters, weights_path(folder), std::move(metadata));
}

}  // namespace heed
