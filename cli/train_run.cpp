#include "cli/train_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "cli/evaluate.h"
#include "cli/exit.h"
#include "cli/interrupt.h"
#include "heed/base/display.h"
#include "heed/base/file.h"
#include "heed/base/progress.h"
#include "heed/train/run_folder.h"
#include "heed/train/run_json.h"

namespace heed::cli {
namespace {

// What can be known before any time is spent. Nothing is made yet.
void check_folder(const TrainFlags& flags) {
  namespace fs = std::filesystem;
  const std::string& folder = flags.folder;
  if (folder.empty()) throw UsageError("-o \"\": expected the name of a folder for the model");
  std::error_code error;
  if (file_exists(folder) && !fs::is_directory(folder, error)) {
    throw UsageError(folder + ": is a file, expected the name of a folder for the model");
  }
  const bool begun = resumable(folder);
  const bool there = file_exists(folder + "/config.json") || file_exists(run_folder(folder));
  if (there && !flags.force) {
    throw UsageError(folder + ": there is a model already; --force replaces it" +
                     (begun ? ", --resume " + folder + " goes on with it" : std::string()));
  }
  if (!there && file_exists(folder) && !fs::is_empty(folder, error)) {
    throw UsageError(folder + ": is not empty and not a model; choose another folder");
  }
  // The folder, or the nearest one above it that is there.
  fs::path place = fs::absolute(folder, error);
  while (!file_exists(place.string()) && place.has_relative_path()) place = place.parent_path();
  if (!fs::is_directory(place, error)) {
    throw UsageError(folder + ": " + place.string() + " is a file, expected a folder");
  }
  if (access(place.c_str(), W_OK | X_OK) != 0) {
    throw IoError(folder + ": cannot write: " + std::strerror(errno));
  }
}

// What the score is of.
const char* judges(const RunOptions& options) { return options.dev.empty() ? "held out" : "dev"; }

// "held out accuracy 83.10 %, loss 0.4012".
std::string scores_text(const char* judges, const Evaluation& evaluation) {
  return fmt::format("{} {} {}, loss {:.4f}", judges, evaluation.score.name,
                     score_text(evaluation.score), evaluation.dev_loss);
}

// "held out accuracy 77.94 % (accuracy of the network 74.93 %, loss 0.7191)", where a wide part
// stands beside the network.
std::string result_text(const char* judges, const RunResult& result) {
  const Evaluation& kept = result.kept;
  if (kept.score.name == result.score.name) return scores_text(judges, kept);
  return fmt::format("{} {} {} ({} {}, loss {:.4f})", judges, result.score.name,
                     score_text(result.score), kept.score.name, score_text(kept.score),
                     kept.dev_loss);
}

// A run on the screen.
class Screen {
 public:
  explicit Screen(const RunOptions& options)
      : judges_(judges(options)), by_loss_(options.training.select == kSelectLoss) {}

  RunEvents events() {
    RunEvents events;
    events.note = [](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); };
    events.step = [this](const TrainingState& state, const StepResult& result, float rate,
                         const Evaluation* kept) {
      if (!progress_) {
        progress_.emplace(1.0, ProgressOptions{.first = state.steps > 1 ? state.progress : 0.0});
      }
      smooth_ = smooth_ < 0.0 ? result.loss : 0.95 * smooth_ + 0.05 * result.loss;
      std::string text =
          fmt::format("epoch {}  loss {:.3f}  rate {:.1e}", state.epoch + 1, smooth_, rate);
      if (kept != nullptr && by_loss_) text += fmt::format("  kept: loss {:.4f}", kept->dev_loss);
      if (kept != nullptr && !by_loss_) {
        text += fmt::format("  kept: {} {}", kept->score.name, score_text(kept->score));
      }
      progress_->update(state.progress, text);
    };
    events.evaluated = [this](const Evaluation& evaluation) {
      const std::string line = fmt::format(
          "epoch {:>2}  step {:>6}  loss {:.4f}  {}{}", evaluation.epoch, evaluation.step,
          evaluation.loss, scores_text(judges_, evaluation), evaluation.kept ? "  kept" : "");
      if (progress_) {
        progress_->log(line);
      } else {
        fmt::print(stderr, "{}\n", line);
      }
    };
    return events;
  }
  void finish() { progress_.reset(); }

 private:
  const char* judges_;
  bool by_loss_;
  std::optional<Progress> progress_;
  double smooth_ = -1.0;
};

// "epoch 3 of 8", where an evaluation was kept.
std::string kept_text(const RunResult& result) {
  return fmt::format("the weights after epoch {}, step {}", result.kept.epoch,
                     with_commas(result.kept.step));
}

void finish(const std::string& folder, const RunResult& result) {
  if (result.end == Trainer::End::kStopped) {
    if (result.evaluations > 0) {
      fmt::print(stderr, "stopped and saved; until it goes on, {} answers with {} ({} {})\n",
                 folder, kept_text(result), result.score.name, score_text(result.score));
    } else {
      fmt::print(stderr, "stopped and saved, before the first evaluation\n");
    }
    fmt::print(stderr, "go on with: heed train --resume {}\n", folder);
    throw Exit{kInterrupted};
  }
  const std::string path = folder + "/training.json";
  std::uint64_t ignored = 0;
  const RunOptions options = parse_run(read_file(path), path, ignored);
  fmt::print(stderr, "the model is in {}: {}; {}\n", folder, kept_text(result),
             result_text(judges(options), result));
  if (result.baseline) {
    fmt::print(stderr, "for comparison, {} on the same data: {} {:.2f} %\n", result.baseline->name,
               result.score.name, 100.0 * result.baseline->score);
  }
  if (!options.test.empty()) {
    evaluate_and_record(folder, options.at(options.test), options.read_others(),
                        options.training.workers);
  }
}

}  // namespace

void resume(const std::string& folder, const ResumeOptions& anew) {
  std::uint64_t ignored = 0;
  const std::string path = run_folder(folder) + "/run.json";
  RunOptions options;
  if (file_exists(path)) options = parse_run(read_file(path), path, ignored);
  Screen screen(options);
  const RunResult result = resume_run(folder, anew, screen.events(), interrupted());
  screen.finish();
  finish(folder, result);
}

void train(TrainFlags& flags) {
  settle_options(flags);
  check_folder(flags);
  Screen screen(flags.run);
  const RunResult result = train_run(flags.folder, flags.run, screen.events(), interrupted());
  screen.finish();
  finish(flags.folder, result);
}

}  // namespace heed::cli
