#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/model/model.h"
#include "heed/model/safetensors.h"

namespace heed {

// A model in its folder: config.json, model.safetensors and the files of its parts (a tokenizer's,
// say). Each file is written whole or not at all. Everything is checked on reading: a missing,
// truncated, oversized or altered file is a FormatError or IoError that names it. The weights know
// the checksums of the other files, for they mean nothing beside others.
//
// While a run trains a model for the folder, it works in checkpoint/ there, and what it has
// finished is in checkpoint/model/ until it is brought to its place (train/run_folder.h). A folder
// without weights of its own is what those are.

inline constexpr const char* kWeightsFile = "model.safetensors";
// Where in a model's folder a run works, and where its result is until it is published.
std::string run_folder(const std::string& folder);
std::string result_folder(const std::string& folder);
// The best weights so far of a run that was stopped: a model that can be used.
std::string best_folder(const std::string& folder);

// Where the files of a model are: in its folder, in the result of a run that was killed before it
// published it, in the best so far of a run that was stopped, or, while its first training goes on
// and there are no weights yet, in checkpoint/.
std::string model_place(const std::string& folder);
// Whether the weights that load_model() gives are those of a run that was stopped.
bool is_unfinished(const std::string& folder);

// The files that weights may belong to: config.json and those of every part there is.
std::vector<std::string> description_files();

// A model that can be used. `change` may set options that its weights do not depend on, such as how
// answers are searched for.
Model load_model(const std::string& folder, const std::function<void(Config&)>& change = {});
// All of it, the weights last.
void save_model(const std::string& folder, const Model& model);

// The config and the files of the parts, which do not change while the weights are trained.
void save_description(const std::string& folder, const Config& config);
// The parts as they were saved, able to prepare records.
Config load_description(const std::string& folder);
// config.json alone.
Config load_config(const std::string& folder);

// For what belongs to the files of save_description() as the weights do: their checksums, to be
// kept as metadata, and a FormatError that names the file if one was changed since.
Metadata description_checksums(const std::string& folder);
void check_description(const std::string& folder, const SafetensorsFile& file);

}  // namespace heed
