#include "heed/train/checkpoint.h"

#include <cstring>

#include "heed/model/json_options.h"
#include "heed/model/safetensors.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, Evaluation& evaluation) {
  archive.required("step", evaluation.step);
  archive.required("epoch", evaluation.epoch);
  archive.required("seconds", evaluation.seconds);
  archive.required("loss", evaluation.loss);
  archive.required("rate", evaluation.rate);
  archive.required("score", evaluation.score);
  archive.required("best", evaluation.best);
}

template <class Archive>
void describe(Archive& archive, TrainingState& state) {
  archive.required("epoch", state.epoch, at_least(0));
  archive.required("batch", state.batch, at_least(0));
  archive.required("steps", state.steps, at_least(0));
  archive.required("total_steps", state.total_steps, at_least(0));
  archive.required("loss_sum", state.loss_sum);
  archive.required("loss_count", state.loss_count, at_least(0));
  archive.required("since_best", state.since_best, at_least(0));
  archive.required("seconds", state.seconds, at_least(0));
  archive.required("evaluations", state.evaluations);
}

void save_checkpoint(const std::string& path, Trainer& trainer) {
  std::vector<StoredTensor> tensors;
  const std::vector<Optimizer::State> memory = trainer.memory();
  for (const Optimizer::State& part : memory) {
    tensors.push_back(
        stored(part.name,
               std::span<const std::uint8_t>(
                   reinterpret_cast<const std::uint8_t*>(part.bytes.data()), part.bytes.size())));
  }
  write_safetensors(path, tensors,
                    {{"format", "heed checkpoint"}, {"state", to_json(trainer.state())}});
}

void load_checkpoint(const std::string& path, Trainer& trainer) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  const auto text = file.metadata().find("state");
  if (text == file.metadata().end()) throw FormatError(path + ": is not a checkpoint of heed");
  TrainingState state;
  from_json(text->second, path, state);
  const std::vector<Optimizer::State> memory = trainer.memory();
  for (const Optimizer::State& part : memory) {
    const StoredTensor& tensor = file[part.name];
    if (tensor.bytes.size() != part.bytes.size()) {
      throw FormatError(path + ": " + part.name + " has " + std::to_string(tensor.bytes.size()) +
                        " bytes, expected " + std::to_string(part.bytes.size()) +
                        ": it belongs to another model");
    }
  }
  for (const Optimizer::State& part : memory) {
    std::memcpy(part.bytes.data(), file[part.name].bytes.data(), part.bytes.size());
  }
  trainer.state() = std::move(state);
}

std::string evaluation_line(const Evaluation& evaluation) {
  const JsonText text;
  JsonWriter writer(text.root());
  Evaluation copy = evaluation;
  describe(writer, copy);
  return text.line();
}

}  // namespace heed
