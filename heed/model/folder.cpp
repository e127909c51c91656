#include "heed/model/folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "heed/base/checksum.h"
#include "heed/base/file.h"
#include "heed/model/config_json.h"
#include "heed/model/safetensors.h"

namespace heed {
namespace {

constexpr const char* kConfig = "/config.json";
constexpr const char* kWeights = "/model.safetensors";
constexpr const char* kRun = "/checkpoint/run.json";

// The files that the weights belong to, and the key of each file's checksum among their metadata.
constexpr const char* kDescription[] = {"config.json", "tokenizer.txt", "vocabulary.txt",
                                        "pairs.txt", "tokenizer.model"};
constexpr std::string_view kKey = "checksum of ";

std::string checksum_text(const std::string& path) {
  return fmt::format("crc32c:{:08x}", checksum(read_file(path)));
}

void check_description(const std::string& folder, const SafetensorsFile& weights) {
  for (const char* name : kDescription) {
    const auto expected = weights.metadata().find(std::string(kKey) + name);
    if (expected == weights.metadata().end()) continue;
    const std::string path = folder + "/" + name;
    if (checksum_text(path) != expected->second) {
      throw FormatError(path + ": was changed after the model was trained; put the old one back");
    }
  }
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

Config load_config(const std::string& folder) {
  if (folder.empty()) throw UsageError("\"\": expected the name of a model's folder");
  const std::string path = folder + kConfig;
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
  Config config = load_config(folder);
  const std::string path = folder + kWeights;
  if (!file_exists(path)) {
    throw IoError(folder + ": has no model.safetensors: " +
                  (file_exists(folder + kRun) ? "its training has not finished; go on with heed "
                                                "train --resume " +
                                                    folder
                                              : "the weights are lost"));
  }
  LoadedModel loaded;
  const SafetensorsFile file = SafetensorsFile::open(path);
  check_description(folder, file);  // first: the file that was changed is the one to be named
  loaded.tokenizer = load_tokenizer(folder, config);
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
  Metadata metadata = {{"format", "heed"}};
  for (const char* name : kDescription) {
    const std::string path = folder + "/" + name;
    if (file_exists(path)) metadata[std::string(kKey) + name] = checksum_text(path);
  }
  save_parameters(parameters, folder + kWeights, std::move(metadata));
}

}  // namespace heed
