#include "heed/train/run_json.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/checksum.h"
#include "heed/data/utf8.h"

namespace heed {

template <class Archive>
void describe(Archive& archive, TrainingOptions& options) {
  archive.field("epochs", options.epochs, at_least(0));
  archive.field("seconds", options.seconds, at_least(0));
  archive.field("examples", options.examples, at_least(0));
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
  archive.field("select", options.select);
}

template void describe(JsonReader& archive, TrainingOptions& options);
template void describe(JsonWriter& archive, TrainingOptions& options);

namespace {

struct WrittenRun {
  RunOptions options;
  std::uint64_t fingerprint = 0;
  std::string checksum{};  // of the text in which it is empty
};

}  // namespace

template <class Archive>
void describe(Archive& archive, ReadOptions& options) {
  archive.field("content", options.content);
  archive.field("answer", options.answer);
  archive.field("format", options.format);
  archive.field("text_column", options.text_column);
  archive.field("second_column", options.second_column);
  archive.field("label_column", options.label_column);
  archive.field("label_separator", options.label_separator);
  archive.field("group_column", options.group_column);
  archive.field("tag_column", options.tag_column);
  archive.field("delimiter", options.delimiter);
  archive.field("skip_bad", options.skip_bad);
}

template <class Archive>
void describe(Archive& archive, WrittenRun& run) {
  RunOptions& options = run.options;
  archive.field("directory", options.directory);
  archive.field("train", options.train);
  archive.field("dev", options.dev);
  archive.field("test", options.test);
  archive.field("read", options.read);
  archive.field("held_out", options.held_out, part_of_one());
  archive.field("balance", options.balance);
  archive.field("from", options.from);
  archive.field("config", options.config);
  archive.field("training", options.training);
  archive.field("fingerprint", run.fingerprint);
  archive.field("checksum", run.checksum);
}

namespace {

std::string checksum_of(WrittenRun run) {
  run.checksum.clear();
  return checksum_text(checksum(to_json(run)));
}

}  // namespace

std::string run_text(const RunOptions& options, std::uint64_t fingerprint) {
  WrittenRun run{options, fingerprint};
  run.checksum = checksum_of(run);
  return to_json(run);
}

RunOptions parse_run(const std::string& text, const std::string& file, std::uint64_t& fingerprint) {
  WrittenRun run;
  from_json(text, file, run);
  if (run.checksum != checksum_of(run)) {
    throw FormatError(file +
                      ": was changed after it was written; put the old one back, or begin "
                      "anew with --force");
  }
  fingerprint = run.fingerprint;
  return run.options;
}

std::string metrics_text(const RunResult& result) {
  const JsonText text;
  const JsonPlace held_out = text.root()["held_out"];
  held_out["measure"].set(std::string_view(result.score.name));
  held_out["score"].set(shown(result.score));
  if (result.kept.score.name != result.score.name) {
    held_out["network"].set(shown(result.kept.score));
  }
  held_out["loss"].set(result.kept.dev_loss);
  held_out["epoch"].set(result.kept.epoch);
  held_out["step"].set(result.kept.step);
  if (result.baseline) {
    held_out["baseline"]["name"].set(std::string_view(result.baseline->name));
    held_out["baseline"]["score"].set(result.baseline->score);
  }
  return text.pages();
}

std::string current_directory() {
  std::error_code error;
  const std::string path = std::filesystem::current_path(error).string();
  return !error && valid_utf8(path) ? path : std::string();
}

double RunOptions::held_out_of(Index examples, Index most) const {
  if (held_out > 0.0) return held_out;
  constexpr double kShare = 0.1;
  return std::min(kShare,
                  static_cast<double>(most) / static_cast<double>(std::max<Index>(1, examples)));
}

std::string RunOptions::at(const std::string& path) const {
  if (directory.empty() || directory == current_directory()) return path;
  return (std::filesystem::path(directory) / path).string();
}

std::vector<std::string> RunOptions::at(const std::vector<std::string>& paths) const {
  std::vector<std::string> result;
  result.reserve(paths.size());
  for (const std::string& path : paths) result.push_back(at(path));
  return result;
}

}  // namespace heed
