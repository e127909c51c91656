#include "heed/train/run_json.h"

#include "heed/model/config_json.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, TrainingOptions& options) {
  archive.field("epochs", options.epochs, at_least(0));
  archive.field("seconds", options.seconds, at_least(0));
  archive.field("batch_rows", options.batch_rows, at_least(0));
  archive.field("schedule", options.schedule);
  archive.field("rate", options.rate, above(0));
  archive.field("warmup", options.warmup, between(0, 1));
  archive.field("adamw", options.adamw);
  archive.field("clip", options.clip, at_least(0));
  archive.field("average", options.average, part_of_one());
  archive.field("patience", options.patience, at_least(0));
  archive.field("evaluations_per_epoch", options.evaluations_per_epoch, at_least(1));
  archive.field("checkpoint_seconds", options.checkpoint_seconds, at_least(0));
  archive.field("checkpoint_steps", options.checkpoint_steps, at_least(0));
  archive.field("workers", options.workers, between(1, 1024));
  archive.field("seed", options.seed);
}

template void describe(JsonReader& archive, TrainingOptions& options);
template void describe(JsonWriter& archive, TrainingOptions& options);

namespace {

struct Run {
  TextRunOptions options;
  std::uint64_t fingerprint = 0;
};

}  // namespace

template <class Archive>
void describe(Archive& archive, TextReadOptions& options) {
  archive.field("format", options.format);
  archive.field("text_column", options.text_column);
  archive.field("label_column", options.label_column);
  archive.field("group_column", options.group_column);
  archive.field("tag_column", options.tag_column);
  archive.field("delimiter", options.delimiter);
}

template <class Archive>
void describe(Archive& archive, Run& run) {
  TextRunOptions& options = run.options;
  archive.field("task", options.task);
  archive.field("train", options.train);
  archive.field("dev", options.dev);
  archive.field("test", options.test);
  archive.field("read", options.read);
  archive.field("held_out", options.held_out, part_of_one());
  archive.field("balance_classes", options.balance_classes);
  archive.field("config", options.config);
  archive.field("training", options.training);
  archive.field("fingerprint", run.fingerprint);
}

std::string run_text(const TextRunOptions& options, std::uint64_t fingerprint) {
  return to_json(Run{options, fingerprint});
}

TextRunOptions parse_run(const std::string& text, const std::string& file,
                         std::uint64_t& fingerprint) {
  Run run;
  from_json(text, file, run);
  fingerprint = run.fingerprint;
  return run.options;
}

}  // namespace heed
