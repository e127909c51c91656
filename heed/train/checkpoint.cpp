#include "heed/train/checkpoint.h"

#include <algorithm>
#include <cstring>

#include "heed/model/json_options.h"
#include "heed/train/options.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, Evaluation& evaluation) {
  archive.required("step", evaluation.step);
  archive.required("epoch", evaluation.epoch);
  archive.required("seconds", evaluation.seconds);
  archive.required("loss", evaluation.loss);
  archive.required("rate", evaluation.rate);
  archive.required("measure", evaluation.score.name);
  archive.required("score", evaluation.score.value);
  archive.required("form", evaluation.score.form);
  archive.required("dev_loss", evaluation.dev_loss);
  archive.required("kept", evaluation.kept);
}

template <class Archive>
void describe(Archive& archive, TrainingState& state) {
  archive.required("epoch", state.epoch, at_least(0));
  archive.required("batch", state.batch, at_least(0));
  archive.required("steps", state.steps, at_least(0));
  archive.required("total_steps", state.total_steps, at_least(0));
  archive.required("progress", state.progress, at_least(0));
  archive.required("loss_sum", state.loss_sum);
  archive.required("loss_count", state.loss_count, at_least(0));
  archive.required("since_best", state.since_best, at_least(0));
  archive.required("seconds", state.seconds, at_least(0));
  archive.required("step_seconds", state.step_seconds, at_least(0));
  archive.required("evaluation_seconds", state.evaluation_seconds, at_least(0));
  archive.required("save_seconds", state.save_seconds, at_least(0));
  archive.required("evaluations", state.evaluations);
}

void save_checkpoint(const std::string& path, Trainer& trainer, Metadata metadata) {
  std::vector<StoredTensor> tensors;
  const std::vector<Optimizer::State> memory = trainer.memory();
  tensors.reserve(memory.size());
  for (const Optimizer::State& part : memory) {
    tensors.push_back(
        stored(part.name,
               std::span<const std::uint8_t>(
                   reinterpret_cast<const std::uint8_t*>(part.bytes.data()), part.bytes.size())));
  }
  metadata["format"] = "heed checkpoint";
  metadata["state"] = to_json(trainer.state());
  write_safetensors(path, tensors, std::move(metadata));
}

void load_checkpoint(const SafetensorsFile& file, Trainer& trainer) {
  const std::string& path = file.path();
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

std::uintmax_t checkpoint_bytes(Parameters& parameters, const AdamWOptions& options) {
  const Buffer flat(static_cast<std::size_t>(parameters.flat_size()) * sizeof(float));
  // The weights, and of those that learn their average and the best so far.
  std::uintmax_t bytes = static_cast<std::size_t>(parameters.size()) * sizeof(float);
  bytes += 2 * flat.bytes();
  AdamW optimizer(parameters, options);
  for (const Optimizer::State& part : optimizer.state()) bytes += part.bytes.size();
  return bytes;
}

std::string evaluation_lines(std::span<const Evaluation> evaluations) {
  std::string lines;
  for (Evaluation evaluation : evaluations) {
    const JsonText text;
    JsonWriter writer(text.root());
    describe(writer, evaluation);
    lines += text.line() + "\n";
  }
  return lines;
}

std::vector<Evaluation> parse_evaluations(std::string_view lines, const std::string& file) {
  std::vector<Evaluation> evaluations;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    from_json(lines.substr(0, end), file, evaluations.emplace_back());
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return evaluations;
}

}  // namespace heed
