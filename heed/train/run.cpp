#include "heed/train/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "heed/base/display.h"
#include "heed/base/file.h"
#include "heed/data/utf8.h"
#include "heed/eval/curve.h"
#include "heed/model/evaluation.h"
#include "heed/model/predictor.h"
#include "heed/model/prepared.h"
#include "heed/model/read_records.h"
#include "heed/train/checkpoint.h"
#include "heed/train/defaults.h"
#include "heed/train/run_folder.h"
#include "heed/train/run_json.h"

namespace heed {
namespace {

constexpr const char* kState = "state.safetensors";
constexpr const char* kLines = "training.jsonl";

// None where it cannot be written down.
std::string current_directory() {
  std::error_code error;
  const std::string path = std::filesystem::current_path(error).string();
  return !error && valid_utf8(path) ? path : std::string();
}

// A checkpoint lies beside the last one until it is whole. When the weights are written there is
// one, so that is less; and the model's other files are small.
void check_room(const std::string& folder, std::uintmax_t checkpoint) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(folder, error);
  while (!file_exists(place.string()) && place.has_relative_path()) place = place.parent_path();
  const std::filesystem::space_info space = std::filesystem::space(place, error);
  const std::uintmax_t needed = 2 * checkpoint;
  if (error || space.available >= needed) return;
  throw IoError(fmt::format("{}: the disk has {:.1f} MB left, and training needs {:.1f} MB", folder,
                            1e-6 * static_cast<double>(space.available),
                            1e-6 * static_cast<double>(needed)));
}

double best_of(std::span<const Evaluation> evaluations) {
  double best = 0.0;
  for (const Evaluation& evaluation : evaluations) best = std::max(best, evaluation.score);
  return best;
}

std::unique_ptr<Measures> measure(const Predictor& predictor, const Examples& examples,
                                  const Dataset& data, Index top = 1) {
  std::unique_ptr<Measures> measures = predictor.model().config().output->measures();
  const std::vector<Prediction> predictions = predictor(examples, top);
  for (Index i = 0; i < data.size(); ++i) {
    measures->add(data[i].answer, predictions[static_cast<std::size_t>(i)]);
  }
  return measures;
}

// metrics.json: how good the model was on what is held out, and what one has without a network.
std::string metrics_text(const RunResult& result, const Output& output) {
  const JsonText text;
  const JsonPlace held_out = text.root()["held_out"];
  held_out["measure"].set(std::string_view(result.score_name));
  held_out["score"].set(output.shown(result.best_score));
  if (result.baseline) {
    held_out["baseline"]["name"].set(std::string_view(result.baseline->name));
    held_out["baseline"]["score"].set(result.baseline->score);
  }
  return text.pages();
}

// At most so many records, at even distances; 0: all.
void keep_few(Dataset& data, Index most) {
  const Index count = data.size();
  if (most == 0 || count <= most) return;
  for (Index i = 0; i < most; ++i) {
    const Index from = i * count / most;
    if (from != i) {
      data.records[static_cast<std::size_t>(i)] =
          std::move(data.records[static_cast<std::size_t>(from)]);
    }
  }
  data.records.resize(static_cast<std::size_t>(most));
}

// One run: the data, the model that learns from it, and the folder that keeps it, if there is one.
class Run {
 public:
  Run(RunOptions options, const RunEvents& events, RunFolder* folder)
      : options_(std::move(options)), events_(events), folder_(folder) {}

  void read_files() {
    const auto read = [&](const std::vector<std::string>& paths, const ReadOptions& options) {
      return read_records(options_.at(paths), options, *options_.config.input, events_.note);
    };
    Dataset all = read(options_.train, options_.read);
    Dataset dev;
    if (!options_.dev.empty()) dev = read(options_.dev, options_.read_others());
    take(std::move(all), std::move(dev));
    if (options_.test.empty()) return;
    Dataset test = read(options_.test, options_.read_others());
    align(test);
    note(options_.config.output->unseen(test, "test"));
  }

  // Without dev data some of the data is held out.
  void take(Dataset all, Dataset dev) {
    if (all.size() == 0) throw FormatError("there are no examples to learn from");
    const bool splits = dev.size() == 0;
    options_.config.input->survey(all);
    align(all);
    align(dev);
    Output& output = *options_.config.output;
    output.fit(all, splits);
    note(output.unseen(dev, "dev"));
    if (all.repaired > 0) {
      note(fmt::format(
          "lines or files that are not UTF-8, read as Latin-1 or with � for what is broken: {}",
          with_commas(all.repaired)));
    }
    if (splits) {
      const Split parts = split(all, options_.held_out, options_.training.seed);
      if (parts.held_out.empty() || parts.train.empty()) {
        throw FormatError(fmt::format("{}: {} examples are too few to hold some out; give --dev",
                                      all[0].place.text(), all.size()));
      }
      std::tie(train_, dev_) = divide(std::move(all), parts);
    } else {
      train_ = std::move(all);
      dev_ = std::move(dev);
    }
    fingerprint_ = mix(fingerprint(train_), fingerprint(dev_));
    keep_few(dev_, output.most_evaluated());
    note(fmt::format("{} examples to learn from, {} {}", with_commas(train_.size()),
                     with_commas(dev_.size()), splits ? "held out" : "for dev"));
  }

  // What a fresh run decides by its data.
  void settle() {
    Config& config = options_.config;
    config.columns = train_.columns;
    config.body->expect_rows(config.input->longest());
    for (Choice<Body>& body : config.ensemble.bodies) body->expect_rows(config.input->longest());
    if (options_.balance) config.output->balance(train_);
    fit();
  }

  // The parts learn from the data: the same parts each time.
  void fit() {
    Config& config = options_.config;
    for (const Record& record : train_.records) check_content(record, config);
    config.input->fit(train_);
    config.output->share(config.input->shared_tokenizer());
    config.output->learn(train_);
    config.wide->fit(train_, config.output->classes());
  }

  void make_model(Config config) {
    model_ = std::make_unique<Model>(std::move(config));
    if (folder_ == nullptr) return;
    check_room(folder_->path(), checkpoint_bytes(model_->parameters(), options_.training.adamw));
  }

  // The examples, and what depends on them. `from_state`: weights will come from a checkpoint.
  void prepare(bool from_state) {
    Workers workers(options_.training.workers);
    train_examples_.emplace(train_, *model_, workers);
    dev_examples_.emplace(dev_, *model_, workers);
    const Config& config = model_->config();
    check_lengths(train_, *train_examples_);
    check_lengths(dev_, *dev_examples_);
    const std::string beside = config.wide->summary();
    note(fmt::format("{} parameters, {}{}, {}", with_commas(model_->parameters().size()),
                     config.input->summary(), beside.empty() ? "" : ", " + beside,
                     config.output->summary()));
    model_->learn_wide(*train_examples_, options_.training.workers);
    if (!from_state) {
      model_->initialize([&](const std::string& path) { return options_.at(path); },
                         [&](const std::string& sentence) { note(sentence); });
    }
    settle_training(model_->config(), *train_examples_, options_.training);
  }

  // Before the first step: not in the middle of training.
  void check_lengths(const Dataset& data, const Examples& examples) const {
    const Config& config = model_->config();
    for (Index i = 0; i < config.ensemble.size; ++i) {
      const Index longest = config.body_of(i)->longest();
      for (Index example = 0; longest > 0 && example < examples.count(); ++example) {
        if (examples.length(example) <= longest) continue;
        throw UsageError(fmt::format(
            "{}: {} rows, and the body {} reads at most {}; let the input give fewer (text: "
            "input.truncation), or the body read in segments (attention: body.segment)",
            data[example].place.text(), with_commas(examples.length(example)),
            config.body_of(i).kind(), with_commas(longest)));
      }
    }
  }

  // One example through the network: what does not fit together shows here.
  void try_out() const {
    Batch batch;
    train_examples_->load(0, batch);
    Context context;
    context.begin(Mode::kTrain);
    model_->loss(context, batch);
  }

  // From a state, or from the first step. Afterwards the model has the best weights.
  RunResult learn(std::unique_ptr<const SafetensorsFile> state, const std::atomic<bool>& stop) {
    const Predictor predictor(*model_, options_.training.workers);
    const std::string score_name = model_->config().output->measures()->score_name();
    const Metadata belongs =
        folder_ == nullptr ? Metadata() : description_checksums(folder_->run());
    TrainingEvents events;
    Trainer* running = nullptr;
    events.step = [&](const TrainingState& at, const StepResult& result, float rate) {
      if (events_.step) events_.step(at, result, rate, best_of(at.evaluations));
    };
    events.evaluated = [&](const Evaluation& evaluation) {
      if (folder_ != nullptr) {
        folder_->check();
        append_file(folder_->file(kLines), evaluation_lines({&evaluation, 1}));
      }
      if (events_.evaluated) events_.evaluated(evaluation);
    };
    events.checkpoint = [&] {
      if (folder_ == nullptr) return;
      folder_->check();
      save_checkpoint(folder_->file(kState), *running, belongs);
    };
    Trainer trainer(
        *model_, *train_examples_, options_.training,
        [&](const Model&) { return measure(predictor, *dev_examples_, dev_, kQuickly)->score(); },
        events);
    running = &trainer;
    trainer.expect_evaluations_of(dev_examples_->rows());
    if (state != nullptr) load_checkpoint(*state, trainer);
    state.reset();
    if (folder_ != nullptr) {  // what was evaluated after the checkpoint will be so again
      write_file(folder_->file(kLines), evaluation_lines(trainer.state().evaluations));
    }
    const Trainer::End end = trainer.run(stop);
    evaluations_ = trainer.state().evaluations;
    RunResult result{end, best_of(evaluations_), score_name};
    if (end == Trainer::End::kFinished) {
      // A twentieth of the time; half a second is nothing to anybody.
      const double seconds = std::max(0.5, trainer.state().seconds / 20.0);
      result.baseline = baseline_of(model_->config(), {train_, dev_, &*model_, &*dev_examples_},
                                    seconds, options_.training.workers);
    }
    return result;
  }

  // Into the folder.
  RunResult learn_and_publish(std::unique_ptr<const SafetensorsFile> state,
                              const std::atomic<bool>& stop) {
    try {
      const RunResult result = learn(std::move(state), stop);
      if (result.end == Trainer::End::kFinished) publish(result);
      return result;
    } catch (const IoError& error) {
      if (!file_exists(folder_->file(kState))) throw;
      throw IoError(
          fmt::format("{}; the last checkpoint is kept: go on with heed train --resume {}",
                      error.what(), folder_->path()));
    }
  }

  RunResult fresh(const std::atomic<bool>& stop) {
    options_.directory = current_directory();
    // All that can be known is checked before anything is written.
    read_files();
    settle();
    make_model(options_.config);
    prepare(false);
    try_out();
    folder_->begin();
    try {
      write_file(folder_->file(kRunFile),
                 run_text(options_, fingerprint_));  // now it can be resumed
      save_description(folder_->run(), model_->config());
      const RunResult result = learn_and_publish(nullptr, stop);
      folder_->keep();
      return result;
    } catch (...) {
      if (file_exists(folder_->file(kState)) || folder_->ready()) folder_->keep();
      throw;
    }
  }

  RunResult resume(std::uint64_t expected, const std::atomic<bool>& stop) {
    read_files();
    if (fingerprint_ != expected) {
      throw FormatError(folder_->path() +
                        ": the training data has changed since the run began; begin anew "
                        "with --force");
    }
    const std::string path = folder_->file(kState);
    if (!file_exists(path)) {
      // What describes the model may be there already; it is the same.
      fit();
      make_model(options_.config);
      prepare(false);
      save_description(folder_->run(), model_->config());
      return learn_and_publish(nullptr, stop);
    }
    auto state = std::make_unique<SafetensorsFile>(read_file(path), path);
    check_description(folder_->run(), *state);
    make_model(load_description(folder_->run()));
    prepare(true);
    return learn_and_publish(std::move(state), stop);
  }

  std::unique_ptr<Model> in_memory(Dataset train, Dataset dev, const std::atomic<bool>& stop) {
    take(std::move(train), std::move(dev));
    settle();
    make_model(options_.config);
    prepare(false);
    const RunResult result = learn(nullptr, stop);
    if (result.end == Trainer::End::kStopped) return nullptr;
    return std::move(model_);
  }

 private:
  void align(Dataset& data) const {
    for (Record& record : data.records) options_.config.input->align(record);
  }

  void note(const std::string& sentence) const {
    if (events_.note && !sentence.empty()) events_.note(sentence);
  }

  void publish(const RunResult& result) {
    std::vector<CurvePoint> curve;
    for (const Evaluation& evaluation : evaluations_) {
      CurvePoint point;
      point.step = evaluation.step;
      point.training_loss = evaluation.loss;
      point.dev_score = evaluation.score;
      curve.push_back(point);
    }
    folder_->check();
    make_folder(folder_->result());
    const auto file = [&](const char* name) { return folder_->result() + "/" + name; };
    write_file(file(kLines), evaluation_lines(evaluations_));
    write_file(file("training.json"), run_text(options_, fingerprint_));
    // The curve rises: a perplexity or an error rate is drawn as what becomes more when it falls.
    const bool inverse = model_->config().output->shown(0.25) != 0.25;
    write_file(file("curve.svg"),
               curve_svg(curve, std::filesystem::path(folder_->path()).filename().string(),
                         result.score_name + (inverse ? ", inverted" : "")));
    write_file(file("metrics.json"), metrics_text(result, *model_->config().output));
    save_model(folder_->result(), *model_);  // the weights last: now it is ready
    folder_->publish();
  }

  RunOptions options_;
  const RunEvents& events_;
  RunFolder* folder_;
  Dataset train_, dev_;
  std::uint64_t fingerprint_ = 0;
  std::unique_ptr<Model> model_;
  std::optional<PreparedExamples> train_examples_, dev_examples_;
  std::vector<Evaluation> evaluations_;
};

}  // namespace

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

RunResult train_run(const std::string& folder, const RunOptions& options, const RunEvents& events,
                    const std::atomic<bool>& stop) {
  RunFolder place(folder);
  return Run(options, events, &place).fresh(stop);
}

RunResult resume_run(const std::string& folder, const RunEvents& events,
                     const std::atomic<bool>& stop) {
  RunFolder place(folder);
  if (place.ready()) {  // killed after its last step
    place.publish();
    const std::string lines = folder + "/" + kLines;
    return {Trainer::End::kFinished, best_of(parse_evaluations(read_file(lines), lines)),
            load_config(folder).output->measures()->score_name()};
  }
  if (!place.begun()) {
    const bool finished = file_exists(folder + "/" + kWeightsFile);
    if (finished) place.clear();  // killed while it cleared up
    throw UsageError(folder + ": there is nothing to resume: " +
                     (finished ? "its training has finished" : "no training was begun there"));
  }
  std::uint64_t expected = 0;
  const std::string run = place.file(kRunFile);
  RunOptions options = parse_run(read_file(run), run, expected);
  return Run(std::move(options), events, &place).resume(expected, stop);
}

std::unique_ptr<Model> train_records(Dataset train, Dataset dev, const RunOptions& options,
                                     const RunEvents& events, const std::atomic<bool>& stop) {
  return Run(options, events, nullptr).in_memory(std::move(train), std::move(dev), stop);
}

std::unique_ptr<Measures> evaluate(const Model& model, Dataset data, int workers) {
  return evaluate_records(Predictor(model, workers), data).measures;
}

}  // namespace heed
