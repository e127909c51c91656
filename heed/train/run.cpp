#include "heed/train/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "heed/base/display.h"
#include "heed/base/file.h"
#include "heed/base/machine.h"
#include "heed/data/utf8.h"
#include "heed/kernel/matmul.h"
#include "heed/model/evaluation.h"
#include "heed/model/predictor.h"
#include "heed/model/prepared.h"
#include "heed/model/read_records.h"
#include "heed/train/checkpoint.h"
#include "heed/train/defaults.h"
#include "heed/train/fit_time.h"
#include "heed/train/held_out.h"
#include "heed/train/run_data.h"
#include "heed/train/run_folder.h"
#include "heed/train/run_json.h"
#include "heed/train/start_from.h"

namespace heed {
namespace {

constexpr const char *kState = "state.safetensors", *kLines = "training.jsonl";
constexpr Index kFewestThatDecide = 20;  // held-out examples

RunResult result_of(Trainer::End end, std::span<const Evaluation> evaluations) {
  RunResult result;
  result.end = end;
  result.evaluations = std::ssize(evaluations);
  if (const Evaluation* kept = kept_of(evaluations)) {
    result.kept = *kept;
    result.score = kept->score;
  }
  return result;
}

// One run: the data, the model that learns from it, and the folder that keeps it, if there is one.
class Run {
 public:
  Run(RunOptions options, const RunEvents& events, RunFolder* folder)
      : options_(std::move(options)), events_(events), folder_(folder) {}

  double elapsed() const {  // seconds since the run began or went on
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

  // What a model that goes on learning knows already: its tokenizer and the like.
  void load_parts() {
    if (options_.from.empty()) return;
    const std::string place = model_place(options_.at(options_.from));
    Config& config = options_.config;
    config.input->load(place);
    config.body->load(place);
    config.output->load(place);
    config.wide->load(place);
  }

  void read_files() {
    load_parts();
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
    tell_what_deceives(all, dev, [&](const std::string& sentence) { note(sentence); });
    if (options_.from.empty()) options_.config.input->survey(all);
    align(all);
    align(dev);
    Output& output = *options_.config.output;
    if (options_.from.empty()) {
      output.fit(all, splits);
    } else {
      output.fit_more(all);
    }
    selected_score(*output.measures(), options_.training.select);  // refuses what there is not
    note(output.unseen(dev, "dev"));
    if (all.repaired > 0) {
      note(fmt::format(
          "lines or files that are not UTF-8, read as Latin-1 or with � for what is broken: {}",
          with_commas(all.repaired)));
    }
    if (splits) {
      const Split parts = split(all, options_.held_out_of(all.size()), options_.training.seed);
      if (parts.held_out.empty() || parts.train.empty()) {
        throw FormatError(fmt::format("{}: {} examples are too few to hold some out; give --dev",
                                      all[0].place.text(), all.size()));
      }
      std::tie(train_, dev_) = divide(std::move(all), parts);
      holds_out_ = true;
    } else {
      train_ = std::move(all);
      dev_ = std::move(dev);
    }
    fingerprint_ = mix(fingerprint(train_), fingerprint(dev_));
    keep_some(dev_, output.most_evaluated());
    keep_some(train_, options_.training.examples);
    note(
        fmt::format("{} examples to learn from, {} {}{}", with_commas(train_.size()),
                    with_commas(dev_.size()), splits ? "held out" : "for dev",
                    held_out_decides() ? "" : ", too few to choose by: the last weights are kept"));
  }

  // What a fresh run decides by its data.
  void settle() {
    Config& config = options_.config;
    config.columns = train_.columns;
    if (options_.width_by_data) config.width = default_width(config, train_.size());
    config.body->expect_rows(config.input->longest());
    for (Choice<Body>& body : config.ensemble.bodies) body->expect_rows(config.input->longest());
    if (options_.balance) config.output->balance(train_);
    fit();
  }

  // The parts learn from the data: the same parts each time.
  void fit() {
    Config& config = options_.config;
    for (const Record& record : train_.records) check_content(record, config);
    if (options_.from.empty()) fit_parts(config, train_);
    if (!keeps_wide()) config.wide->fit(train_, config.output->classes());
  }

  // Whether the wide part is that of the model that goes on learning: where there are new classes
  // it has no scores for them, and is learned from this data alone.
  bool keeps_wide() const {
    if (options_.from.empty()) return false;
    return load_config(options_.at(options_.from)).output->classes() ==
           options_.config.output->classes();
  }

  // With a time limit: as many examples as can be read once in what is left of it.
  void thin_out() {
    const double limit = options_.training.seconds;
    if (limit <= 0.0 || options_.training.examples > 0 || !options_.from.empty()) return;
    const Index all = train_.size();
    const Index most = examples_for_time(options_.config, train_, options_.training,
                                         std::max(0.5 * limit, limit - elapsed()));
    if (most >= all) return;
    options_.training.examples = most;
    keep_some(train_, most);
    return_memory();
    note(fmt::format("in this time the network can read {} of {} examples: it learns from these",
                     with_commas(train_.size()), with_commas(all)));
  }

  // With a time limit: the network of which enough epochs fit into what is left of the time.
  void fit_into_time() {
    const double limit = options_.training.seconds;
    if (limit <= 0.0 || !options_.size_by_time) return;
    TimePlan plan = plan_for_time(options_.config, train_, options_.training,
                                  std::max(0.5 * limit, limit - elapsed()));
    options_.config = std::move(plan.config);
    note(plan.note);
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
    check_lengths(config, train_, *train_examples_);
    check_lengths(config, dev_, *dev_examples_);
    const std::string beside = config.wide->summary();
    note(fmt::format("{} parameters, {}{}, {}", with_commas(model_->parameters().size()),
                     config.input->summary(), beside.empty() ? "" : ", " + beside,
                     config.output->summary()));
    const double begin = elapsed();
    if (!keeps_wide()) model_->learn_wide(*train_examples_, options_.training.workers);
    wide_seconds_ = elapsed() - begin;
    return_memory();
    if (!from_state && options_.from.empty()) {
      model_->initialize({[&](const std::string& path) { return options_.at(path); },
                          [&](const std::string& sentence) { note(sentence); }, *train_examples_,
                          options_.training.workers});
    } else if (!from_state) {
      take_weights();
    }
    settle_training(model_->config(), *train_examples_, options_.training);
  }

  // Those of the model that goes on learning.
  void take_weights() {
    const std::string place = model_place(options_.at(options_.from));
    const SafetensorsFile file = SafetensorsFile::open(place + "/" + kWeightsFile);
    const Config before = load_config(options_.at(options_.from));
    const StartedFrom started = start_from(*model_, {file, before});
    note(fmt::format("goes on from {}: {} tensors{}{}", options_.from, with_commas(started.tensors),
                     started.new_classes > 0
                         ? fmt::format(", {} new classes", with_commas(started.new_classes))
                         : std::string(),
                     model_->config().wide->present() && !started.wide
                         ? "; the wide part is learned from this data"
                         : ""));
  }

  // One example through the network: what does not fit together shows here.
  void try_out() const {
    kernel::prepare_products();
    Batch batch;
    train_examples_->load(0, batch);
    Context context;
    context.begin(Mode::kTrain);
    model_->loss(context, batch);
  }

  // From a state, or from the first step. Afterwards the model has the best weights.
  RunResult learn(std::unique_ptr<const SafetensorsFile> state, const std::atomic<bool>& stop) {
    const Predictor predictor(*model_, options_.training.workers);
    Workers judges(options_.training.workers);
    const Metadata belongs =
        folder_ == nullptr ? Metadata() : description_checksums(folder_->run());
    TrainingEvents events;
    Trainer* running = nullptr;
    events.step = [&](const TrainingState& at, const StepResult& result, float rate) {
      if (events_.step) events_.step(at, result, rate, kept_of(at.evaluations));
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
        [&](const Model&) {
          NamedScore score = judge(predictor);
          if (model_->config().wide->present()) score.name += " of the network";
          const double loss = mean_loss(*model_, *dev_examples_, judges);
          HeldOut found(score, loss, as_good_as(score, dev_));
          found.decides = held_out_decides();
          return found;
        },
        events);
    running = &trainer;
    trainer.expect_evaluations_of(dev_examples_->rows());
    if (const auto checkpoint = std::move(state)) load_checkpoint(*checkpoint, trainer);
    if (folder_ != nullptr) {  // what was evaluated after the checkpoint will be so again
      write_file(folder_->file(kLines), evaluation_lines(trainer.state().evaluations));
    }
    // Reading and preparing count: who waits for five minutes waits for that too.
    if (options_.training.seconds > 0.0) trainer.state().seconds += elapsed();
    model_->use(Model::Parts::kNetwork);
    const Trainer::End end = trainer.run(stop);
    model_->use(Model::Parts::kAll);
    evaluations_ = trainer.state().evaluations;
    RunResult result = result_of(end, evaluations_);
    if (end == Trainer::End::kStopped) {
      if (folder_ != nullptr) keep_best(trainer, predictor, result);
    } else {
      settle_scores(predictor, result);
      // A twentieth of the time, or a fiftieth of a time limit; half a second does not matter.
      const double share = options_.training.seconds > 0.0 ? 0.02 : 0.05;
      const double seconds = std::max(0.5, share * trainer.state().seconds);
      result.baseline = baseline_of(model_->config(), {train_, dev_, &*model_, &*dev_examples_},
                                    seconds, options_.training.workers);
      learn_wide_from_all(trainer.state().seconds);
      model_->settle_wide();
    }
    return result;
  }

  // A few examples that happened to be held out say too little about which weights are the best;
  // who names dev files, a measure or a patience wants to choose by them.
  bool held_out_decides() const {
    return dev_.size() >= kFewestThatDecide || !holds_out_ || !options_.training.select.empty() ||
           options_.training.patience > 0;
  }

  // How good the model is on held-out examples.
  NamedScore judge(const Predictor& predictor) const {
    const auto measures = measure(predictor, *dev_examples_, dev_, kQuickly);
    return selected_score(*measures, options_.training.select);
  }

  // What is learned from held-out examples when the weights are final. The result then has the
  // score of the whole model, not that of the network alone.
  void settle_scores(const Predictor& predictor, RunResult& result) {
    Workers workers(options_.training.workers);
    // One that was kept may have learned from these examples.
    if (!keeps_wide()) weigh_wide(*model_, *dev_examples_, workers);
    calibrate(*model_, predictor, *dev_examples_, dev_);
    if (model_->config().wide->present()) result.score = judge(predictor);
  }

  // Examples that were held out have said what they can; the wide part learns from them too.
  void learn_wide_from_all(double seconds) {
    const bool timed = options_.training.seconds > 0.0;
    if (!holds_out_ || keeps_wide() || (timed && wide_seconds_ > 0.02 * seconds)) return;
    model_->learn_wide(JoinedExamples(*train_examples_, *dev_examples_), options_.training.workers);
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
    thin_out();
    settle();
    fit_into_time();
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

  RunResult resume(std::uint64_t expected, const ResumeOptions& anew,
                   const std::atomic<bool>& stop) {
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
      take_anew(anew);
      save_description(folder_->run(), model_->config());
      return learn_and_publish(nullptr, stop);
    }
    auto state = std::make_unique<SafetensorsFile>(read_file(path), path);
    check_description(folder_->run(), *state);
    make_model(load_description(folder_->run()));
    prepare(true);
    take_anew(anew);
    return learn_and_publish(std::move(state), stop);
  }

  std::unique_ptr<Model> in_memory(Dataset train, Dataset dev, const std::atomic<bool>& stop) {
    take(std::move(train), std::move(dev));
    thin_out();
    settle();
    fit_into_time();
    make_model(options_.config);
    prepare(false);
    const RunResult result = learn(nullptr, stop);
    if (result.end == Trainer::End::kStopped) return nullptr;
    return std::move(model_);
  }

 private:
  // Other limits than the run began with, which it keeps from now on.
  void take_anew(const ResumeOptions& anew) {
    TrainingOptions& training = options_.training;
    if (anew.patience) training.patience = *anew.patience;
    if (anew.epochs) {
      training.epochs = *anew.epochs;
      training.seconds = 0.0;
    }
    if (anew.seconds) training.seconds = *anew.seconds;
    if (anew.patience || anew.epochs || anew.seconds) {
      write_file(folder_->file(kRunFile), run_text(options_, fingerprint_));
    }
  }

  // The best so far, as a model that can be used until the run goes on.
  void keep_best(Trainer& trainer, const Predictor& predictor, RunResult& result) {
    trainer.swap_best();
    settle_scores(predictor, result);
    make_folder(best_folder(folder_->path()));
    remove_file(best_folder(folder_->path()) + "/" + kWeightsFile);  // of an earlier stop
    write_file(best_folder(folder_->path()) + "/metrics.json", metrics_text(result));
    save_model(best_folder(folder_->path()), *model_);
    trainer.swap_best();
  }

  void align(Dataset& data) const {
    for (Record& record : data.records) options_.config.input->align(record);
  }

  void note(const std::string& sentence) const {
    if (events_.note && !sentence.empty()) events_.note(sentence);
  }

  void publish(const RunResult& result) {
    folder_->check();
    make_folder(folder_->result());
    const auto file = [&](const char* name) { return folder_->result() + "/" + name; };
    write_file(file(kLines), evaluation_lines(evaluations_));
    write_file(file("training.json"), run_text(options_, fingerprint_));
    write_file(file("curve.svg"),
               curve_of(evaluations_, std::filesystem::path(folder_->path()).filename().string()));
    write_file(file("metrics.json"), metrics_text(result));
    save_model(folder_->result(), *model_);  // the weights last: now it is ready
    folder_->publish();
  }

  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  RunOptions options_;
  const RunEvents& events_;
  RunFolder* folder_;
  Dataset train_, dev_;
  std::uint64_t fingerprint_ = 0;
  bool holds_out_ = false;     // dev_ is a part of the data to learn from
  double wide_seconds_ = 0.0;  // that the wide part took
  std::unique_ptr<Model> model_;
  std::optional<PreparedExamples> train_examples_, dev_examples_;
  std::vector<Evaluation> evaluations_;
};

}  // namespace

RunResult train_run(const std::string& folder, const RunOptions& options, const RunEvents& events,
                    const std::atomic<bool>& stop) {
  RunFolder place(folder);
  return Run(options, events, &place).fresh(stop);
}

RunResult resume_run(const std::string& folder, const ResumeOptions& anew, const RunEvents& events,
                     const std::atomic<bool>& stop) {
  RunFolder place(folder);
  if (place.ready()) {  // killed after its last step
    place.publish();
    const std::string lines = folder + "/" + kLines;
    return result_of(Trainer::End::kFinished, parse_evaluations(read_file(lines), lines));
  }
  if (!place.begun()) {
    const bool finished = file_exists(folder + "/" + kWeightsFile);
    if (finished) place.clear();  // killed while it cleared up
    throw UsageError(folder + ": there is nothing to resume: " +
                     (finished ? "its training has finished; heed train ... --from " + folder +
                                     " goes on from it with more data"
                               : "no training was begun there"));
  }
  std::uint64_t expected = 0;
  const std::string run = place.file(kRunFile);
  RunOptions options = parse_run(read_file(run), run, expected);
  return Run(std::move(options), events, &place).resume(expected, anew, stop);
}

std::unique_ptr<Model> train_records(Dataset train, Dataset dev, const RunOptions& options,
                                     const RunEvents& events, const std::atomic<bool>& stop) {
  return Run(options, events, nullptr).in_memory(std::move(train), std::move(dev), stop);
}

std::unique_ptr<Measures> evaluate(const Model& model, Dataset data, int workers) {
  return evaluate_records(Predictor(model, workers, Predictor::Weights::kStay), data).measures;
}

}  // namespace heed
