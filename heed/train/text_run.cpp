#include "heed/train/text_run.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/file.h"
#include "heed/data/byte_source.h"
#include "heed/data/text/vectors.h"
#include "heed/eval/curve.h"
#include "heed/model/config_json.h"
#include "heed/model/predict.h"
#include "heed/train/checkpoint.h"
#include "heed/train/clue_counts.h"
#include "heed/train/run_json.h"
#include "heed/train/text_defaults.h"
#include "heed/train/text_score.h"

namespace heed {
namespace {

std::string checkpoint_folder(const std::string& folder) { return folder + "/checkpoint"; }
std::string run_path(const std::string& folder) { return checkpoint_folder(folder) + "/run.json"; }
std::string state_path(const std::string& folder) {
  return checkpoint_folder(folder) + "/state.safetensors";
}

struct Parts {
  TextData train, dev;
  std::vector<std::string> names;  // of all answers, those that only the held-out part has too
};

Parts read_parts(const TextRunOptions& options, const TextRunEvents& events) {
  TextData all = read_text_data(options.task, options.train, options.read);
  const bool splits = options.dev.empty();
  std::vector<std::string> names = answers_of(all, splits);
  if (all.repaired > 0 && events.note) {
    events.note(fmt::format(
        "lines or files that are not UTF-8, read as Latin-1 or with � for what is broken: {}",
        all.repaired));
  }
  if (!options.test.empty()) {
    check_answers(read_text_data(options.task, options.test, options.read_others()), names, "test");
  }
  if (!splits) {
    TextData dev = read_text_data(options.task, options.dev, options.read_others());
    check_answers(dev, names, "dev");
    return {std::move(all), std::move(dev), std::move(names)};
  }
  const Split parts = split(all, options.held_out, options.training.seed);
  if (parts.held_out.empty() || parts.train.empty()) {
    throw FormatError(fmt::format("{}: {} examples are too few to hold some out; give --dev",
                                  all.places.front(), all.size()));
  }
  return {all.select(parts.train), all.select(parts.held_out), std::move(names)};
}

std::unique_ptr<Tokenizer> train_tokenizer(const TextData& data, const Config& config) {
  if (data.kind == OutputKind::kLabel) return Tokenizer::train(config.text.tokenizer, data.texts);
  std::vector<std::string> words;
  for (const auto& sentence : data.words) {
    words.insert(words.end(), sentence.begin(), sentence.end());
  }
  return Tokenizer::train_words(config.text.tokenizer, words);
}

void read_pretrained(const std::string& folder, Model& model, const TextRunEvents& events) {
  const std::string& path = model.config().text.vectors;
  if (path.empty()) return;
  const Vocabulary vocabulary = Vocabulary::load(folder + "/vocabulary.txt");
  Index found = 0;
  for (const Parameter* words : model.in_each_member("input.words.weight")) {
    found = read_vectors(path, vocabulary, model.config().width, words->value.span());
  }
  if (events.note) {
    events.note(fmt::format("{} of {} words have a vector in {}", found, vocabulary.size(), path));
  }
}

// Makes a folder, and takes it away again with all that is in it unless it was kept. A folder that
// was there before stays.
class NewFolder {
 public:
  explicit NewFolder(const std::string& path) {
    std::error_code ignored;
    std::filesystem::path place = std::filesystem::absolute(path, ignored).lexically_normal();
    for (; place.has_relative_path() && !file_exists(place.string()); place = place.parent_path()) {
      made_ = place.string();
    }
    make_folder(path);
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!made_.empty()) std::filesystem::remove_all(made_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep() { made_.clear(); }

 private:
  std::string made_;  // the highest folder that was not there
};

// Both a fresh run and a resumed one, which differ in what is there already.
class TextRun {
 public:
  TextRun(std::string folder, TextRunOptions options, const TextRunEvents& events)
      : folder_(std::move(folder)), options_(std::move(options)), events_(events) {}

  TextRunResult fresh(const std::atomic<bool>& stop) {
    read();
    Config& config = options_.config;
    if (options_.choose_body && choose_body(parts_.train, config) && events_.note) {
      events_.note(
          "the texts are long: words are read without attention to each other (--body attention "
          "changes that)");
    }
    config.output.kind = options_.task;
    settle_answers(parts_.names, config.output);
    config.columns = parts_.train.columns;
    if (options_.balance_classes) {
      config.output.class_weights = balanced_weights(parts_.train, config.output.names);
    }
    std::shared_ptr<const Tokenizer> tokenizer = train_tokenizer(parts_.train, config);
    count_entries(*tokenizer, config.text);
    Model model(config);  // what does not fit together is known before anything is written
    check_room(model.parameters());
    if (!config.text.vectors.empty()) ByteSource::open(config.text.vectors);
    clear_folder();
    NewFolder made(folder_);
    try {
      make_folder(checkpoint_folder(folder_));
      write_file(run_path(folder_), run_text(options_, fingerprint_));  // now it can be resumed
      const TextRunResult result = begin(model, tokenizer, stop);
      made.keep();
      return result;
    } catch (...) {
      if (file_exists(state_path(folder_))) made.keep();
      throw;
    }
  }

  TextRunResult resume(std::uint64_t expected, const std::atomic<bool>& stop) {
    read();
    if (fingerprint_ != expected) {
      throw FormatError(folder_ +
                        ": the training data has changed since the run began; begin anew "
                        "with --force");
    }
    if (!file_exists(state_path(folder_))) {
      Model model(options_.config);
      return begin(model, train_tokenizer(parts_.train, options_.config), stop);
    }
    Model model(load_config(folder_));
    return run(model, load_tokenizer(folder_, model.config()), stop, true);
  }

 private:
  // From the first step. What describes the model may be there already, from a run that was stopped
  // before its first checkpoint; it is the same.
  TextRunResult begin(Model& model, const std::shared_ptr<const Tokenizer>& tokenizer,
                      const std::atomic<bool>& stop) {
    save_description(folder_, model.config(), *tokenizer);
    read_pretrained(folder_, model, events_);
    return run(model, tokenizer, stop, false);
  }

  // What an earlier model left goes only now, when all that is new has been read and checked.
  void clear_folder() const {
    std::error_code ignored;
    for (const char* name : {"model.safetensors", "config.json", "tokenizer.txt", "vocabulary.txt",
                             "pairs.txt", "tokenizer.model", "metrics.json", "training.json",
                             "training.jsonl", "curve.svg", "checkpoint"}) {
      std::filesystem::remove_all(folder_ + "/" + name, ignored);
    }
  }

  // A checkpoint has the weights, their average, the best and the optimizer's two; the next one is
  // written beside it, and in the end the model.
  void check_room(const Parameters& parameters) const {
    std::error_code error;
    std::filesystem::path place = std::filesystem::absolute(folder_, error);
    while (!file_exists(place.string()) && place.has_relative_path()) place = place.parent_path();
    const std::filesystem::space_info space = std::filesystem::space(place, error);
    const auto needed = 11 * static_cast<std::uintmax_t>(parameters.flat_size()) * sizeof(float);
    if (error || space.available >= needed) return;
    throw IoError(fmt::format("{}: the disk has {:.1f} MB left, and training needs {:.1f} MB",
                              folder_, 1e-6 * static_cast<double>(space.available),
                              1e-6 * static_cast<double>(needed)));
  }

  void read() {
    parts_ = read_parts(options_, events_);
    fingerprint_ = mix(fingerprint(parts_.train), fingerprint(parts_.dev));
    if (events_.note) {
      events_.note(fmt::format("{} examples to learn from, {} {}", parts_.train.size(),
                               parts_.dev.size(), options_.dev.empty() ? "held out" : "for dev"));
    }
  }

  TextRunResult run(Model& model, const std::shared_ptr<const Tokenizer>& tokenizer,
                    const std::atomic<bool>& stop, bool resumed) {
    const TextExamples prepare(model.config(), tokenizer);
    const std::vector<Example> train = text_examples(parts_.train, prepare);
    const std::vector<Example> dev = text_examples(parts_.dev, prepare);
    if (events_.note) {
      events_.note(fmt::format("{} numbers to learn, {} known, {} answers",
                               model.parameters().size(), entries_text(*tokenizer),
                               model.config().output.names.size()));
    }
    count_clues(train, model);
    settle_by_data(options_.training, train);
    Workers workers(options_.training.workers);
    TrainingEvents events;
    Trainer* running = nullptr;
    events.step = [&](const TrainingState& state, const StepResult& result, float rate) {
      if (events_.step) events_.step(state, result, rate, best(state));
    };
    events.evaluated = events_.evaluated;
    events.checkpoint = [&] { save_checkpoint(state_path(folder_), *running); };
    Trainer trainer(
        model, train, options_.training,
        [&](const Model& trained) {
          return score_text(parts_.dev, prepare, predict_all(trained, dev, workers));
        },
        events);
    running = &trainer;
    if (resumed) load_checkpoint(state_path(folder_), trainer);
    try {
      const Trainer::End end = trainer.run(stop);
      if (end == Trainer::End::kFinished) finish(model, trainer.state());
      return {end, best(trainer.state())};
    } catch (const IoError& error) {
      if (!file_exists(state_path(folder_))) throw;
      throw IoError(std::string(error.what()) + "; the last checkpoint is kept: go on with " +
                    "heed train --resume " + folder_);
    }
  }

  static double best(const TrainingState& state) {
    double best = 0.0;
    for (const Evaluation& evaluation : state.evaluations) best = std::max(best, evaluation.score);
    return best;
  }

  void finish(const Model& model, const TrainingState& state) {
    std::string lines;
    std::vector<CurvePoint> curve;
    for (const Evaluation& evaluation : state.evaluations) {
      lines += evaluation_line(evaluation) + "\n";
      CurvePoint point;
      point.step = evaluation.step;
      point.training_loss = evaluation.loss;
      point.dev_score = evaluation.score;
      curve.push_back(point);
    }
    write_file(folder_ + "/training.jsonl", lines);
    write_file(folder_ + "/training.json", run_text(options_, fingerprint_));
    write_file(folder_ + "/curve.svg",
               curve_svg(curve, std::filesystem::path(folder_).filename().string()));
    save_weights(folder_, model.parameters());
    // Last: until the weights are there, the run can be resumed.
    std::error_code ignored;
    std::filesystem::remove(run_path(folder_), ignored);
    std::filesystem::remove_all(checkpoint_folder(folder_), ignored);
  }

  std::string folder_;
  TextRunOptions options_;
  const TextRunEvents& events_;
  Parts parts_;
  std::uint64_t fingerprint_ = 0;
};

}  // namespace

TextRunResult train_text(const std::string& folder, const TextRunOptions& options,
                         const TextRunEvents& events, const std::atomic<bool>& stop) {
  return TextRun(folder, options, events).fresh(stop);
}

TextRunResult resume_text(const std::string& folder, const TextRunEvents& events,
                          const std::atomic<bool>& stop) {
  if (!file_exists(run_path(folder))) {
    const bool finished = file_exists(folder + "/model.safetensors");
    // A run that was killed while it cleared up.
    std::error_code ignored;
    if (finished) std::filesystem::remove_all(checkpoint_folder(folder), ignored);
    throw UsageError(folder + ": there is nothing to resume: " +
                     (finished ? "its training has finished" : "no training was begun there"));
  }
  std::uint64_t expected = 0;
  TextRunOptions options = parse_run(read_file(run_path(folder)), run_path(folder), expected);
  return TextRun(folder, std::move(options), events).resume(expected, stop);
}

}  // namespace heed
