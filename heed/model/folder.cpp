#include "heed/model/folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "heed/base/checksum.h"
#include "heed/base/file.h"

namespace heed {
namespace {

constexpr const char* kConfig = "/config.json";
constexpr std::string_view kKey = "checksum of ";  // config.json, among the metadata

std::string weights_path(const std::string& folder) { return folder + "/" + kWeightsFile; }

std::string file_checksum(const std::string& path) {
  return checksum_text(checksum(read_file(path)));
}

template <class Axis>
void add_files(std::vector<std::string>& files) {
  const Registry<Axis>& registry = Registry<Axis>::instance();
  for (const std::string& kind : registry.names()) {
    for (std::string& name : registry.make(kind)->files()) files.push_back(std::move(name));
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

Config read_config(const std::string& place, const std::string& folder) {
  const std::string path = place + kConfig;
  if (!file_exists(path)) refuse_folder(folder);
  return parse_config(read_file(path), path);
}

}  // namespace

std::string run_folder(const std::string& folder) { return folder + "/checkpoint"; }
std::string result_folder(const std::string& folder) { return run_folder(folder) + "/model"; }

std::string best_folder(const std::string& folder) { return run_folder(folder) + "/best"; }

std::string model_place(const std::string& folder) {
  if (file_exists(weights_path(folder))) return folder;
  if (file_exists(weights_path(result_folder(folder)))) return result_folder(folder);
  if (file_exists(weights_path(best_folder(folder)))) return best_folder(folder);
  return file_exists(run_folder(folder) + kConfig) ? run_folder(folder) : folder;
}

bool is_unfinished(const std::string& folder) { return model_place(folder) == best_folder(folder); }

std::vector<std::string> description_files() {
  std::vector<std::string> files = {"config.json"};
  add_files<Input>(files);
  add_files<Body>(files);
  add_files<Output>(files);
  add_files<Wide>(files);
  return files;
}

Metadata description_checksums(const std::string& folder) {
  Metadata metadata;
  for (const std::string& name : description_files()) {
    const std::string path = folder + "/" + name;
    if (file_exists(path)) metadata[std::string(kKey) + name] = file_checksum(path);
  }
  return metadata;
}

void check_description(const std::string& folder, const SafetensorsFile& file) {
  for (const std::string& name : description_files()) {
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
  return read_config(model_place(folder), folder);
}

Config load_description(const std::string& folder) {
  Config config = read_config(folder, folder);
  config.input->load(folder);
  config.body->load(folder);
  config.output->share(config.input->shared_tokenizer());
  config.output->load(folder);
  config.wide->load(folder);
  return config;
}

Model load_model(const std::string& folder, const std::function<void(Config&)>& change) {
  if (folder.empty()) throw UsageError("\"\": expected the name of a model's folder");
  const std::string place = model_place(folder);
  const std::string path = weights_path(place);
  const bool running = file_exists(run_folder(folder) + "/run.json");
  if (!file_exists(path) && running) {
    throw IoError(fmt::format(
        "{0}: has no {1}: its training has not finished; go on with heed train --resume {0}",
        folder, kWeightsFile));
  }
  read_config(place, folder);  // first: whether it is a model at all
  if (!file_exists(path)) {
    throw IoError(fmt::format("{}: has no {}: the weights are lost", folder, kWeightsFile));
  }
  const SafetensorsFile file = SafetensorsFile::open(path);
  check_description(place, file);  // before the files are read: the one that was changed is named
  Config config = load_description(place);
  if (change) change(config);
  Model model(std::move(config), Parameters::Values::kLater);
  load_parameters(model.parameters(), file);
  return model;
}

void save_description(const std::string& folder, const Config& config) {
  make_folder(folder);
  config.input->save(folder);
  config.body->save(folder);
  config.output->save(folder);
  config.wide->save(folder);
  write_file(folder + kConfig, config_text(config));
}

void save_model(const std::string& folder, const Model& model) {
  save_description(folder, model.config());
  Metadata metadata = description_checksums(folder);
  metadata["format"] = "heed";
  save_parameters(model.parameters(), weights_path(folder), std::move(metadata));
}

}  // namespace heed
