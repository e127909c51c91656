#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heed/model/folder.h"
#include "heed/train/text_data.h"
#include "heed/train/trainer.h"

namespace heed {

// Everything that decides what a training run does: with the same files, the same model to the bit.
struct TextRunOptions {
  OutputKind task = OutputKind::kLabel;
  std::string directory;  // where paths that are not absolute begin; empty: the current one
  std::vector<std::string> train, dev, test;
  TextReadOptions read{};
  double held_out = 0.1;         // of the training data, where no dev data is given
  bool balance_classes = false;  // rare classes weigh more
  Config config{};
  bool choose_body = false;  // by the data, for a fresh run
  TrainingOptions training{};

  // A path of the run, wherever the program is now.
  std::string at(const std::string& path) const;
  std::vector<std::string> at(const std::vector<std::string>& paths) const;

  // How files are read that are not to be split, and so need no groups.
  TextReadOptions read_others() const {
    TextReadOptions options = read;
    options.group_column.clear();
    return options;
  }
};

// What a run tells while it goes.
struct TextRunEvents {
  std::function<void(const std::string&)> note;  // a sentence about the data or the model
  std::function<void(const TrainingState&, const StepResult&, float rate, double best)> step;
  std::function<void(const Evaluation&)> evaluated;
};

struct TextRunResult {
  Trainer::End end = Trainer::End::kFinished;
  double best_score = 0.0;
};

// Trains from files into a model folder (run_folder.h). Until it is finished the folder has
// checkpoint/, from which resume_text() goes on, to the same model as if it had never stopped. A
// model that is there already can be used until then.
TextRunResult train_text(const std::string& folder, const TextRunOptions& options,
                         const TextRunEvents& events, const std::atomic<bool>& stop);
TextRunResult resume_text(const std::string& folder, const TextRunEvents& events,
                          const std::atomic<bool>& stop);

}  // namespace heed
