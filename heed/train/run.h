#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/model/folder.h"
#include "heed/train/baseline.h"
#include "heed/train/trainer.h"

namespace heed {

// Everything that decides what a training run does: with the same data, the same model to the bit.
struct RunOptions {
  std::string directory;  // where paths that are not absolute begin; empty: the current one
  std::vector<std::string> train, dev, test;
  ReadOptions read{};
  double held_out = 0.0;       // of the training data, where no dev data is given; 0: by its size
  bool balance = false;        // rare answers weigh more
  bool width_by_data = false;  // with much of it the network may become wider than `config`
  bool size_by_time = false;   // with a time limit it may become smaller
  std::string from;            // the folder of a model that goes on learning; empty: a new one
  Config config{};
  TrainingOptions training{};

  // A path of the run, wherever the program is now.
  std::string at(const std::string& path) const;
  std::vector<std::string> at(const std::vector<std::string>& paths) const;

  // The share of so many examples that is held out: a tenth, if nothing was said, but no more than
  // `most` examples. 2,500 choose weights and tell an accuracy to two points, and of 50,000 texts
  // the network learns from 2,500 more than with a tenth.
  double held_out_of(Index examples, Index most = 2500) const;

  // How files are read that are not to be split, and so need no groups.
  ReadOptions read_others() const {
    ReadOptions options = read;
    options.group_column.clear();
    return options;
  }
};

// What a run tells while it goes. Each may be empty.
struct RunEvents {
  Notes note;  // a sentence about the data or the model
  // `kept` is the evaluation whose weights are kept so far; null before the first.
  std::function<void(const TrainingState&, const StepResult&, float rate, const Evaluation* kept)>
      step;
  std::function<void(const Evaluation&)> evaluated;
};

struct RunResult {
  Trainer::End end = Trainer::End::kFinished;
  NamedScore score;       // of the model on what is held out
  Evaluation kept = {};   // the evaluation whose weights it has; of the network alone
  Index evaluations = 0;  // how many there were
  // On the same held-out data, by what one would have without a network; made in at most half a
  // second or a twentieth of the training time, or left out.
  std::optional<Baseline> baseline = {};
};

// Trains from files into a model folder (run_folder.h), for every input and output. Until it is
// finished the folder has checkpoint/, from which resume_run() goes on, to the same model as if it
// had never stopped. A model that is there already can be used until then; where there is none, the
// best so far can be, once the run was stopped.
RunResult train_run(const std::string& folder, const RunOptions& options, const RunEvents& events,
                    const std::atomic<bool>& stop);
// What is given anew when a run goes on, in place of what it began with; all of it is counted from
// its beginning.
struct ResumeOptions {
  std::optional<Index> epochs = {}, patience = {};
  std::optional<double> seconds = {};
};
RunResult resume_run(const std::string& folder, const ResumeOptions& anew, const RunEvents& events,
                     const std::atomic<bool>& stop);

// Trains on records in memory, without a folder: the file names of the options are not looked at.
// With `dev` empty a part of `train` is held out. The result is ready to answer; save_model() keeps
// it. Null where it was stopped.
std::unique_ptr<Model> train_records(Dataset train, Dataset dev, const RunOptions& options,
                                     const RunEvents& events, const std::atomic<bool>& stop);

// How good a model is on data with answers; those that training has not seen count as wrong.
std::unique_ptr<Measures> evaluate(const Model& model, Dataset data, int workers);

}  // namespace heed
