#include "heed/train/text_run.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/file.h"
#include "heed/data/text/vectors.h"
#include "heed/data/utf8.h"
#include "heed/eval/curve.h"
#include "heed/model/config_json.h"
#include "heed/model/predict.h"
#include "heed/train/checkpoint.h"
#include "heed/train/clue_counts.h"
#include "heed/train/run_folder.h"
#include "heed/train/run_json.h"
#include "heed/train/text_defaults.h"
#include "heed/train/text_score.h"

namespace heed {
namespace {

constexpr const char* kRun = "run.json";
constexpr const char* kState = "state.safetensors";
constexpr const char* kLines = "training.jsonl";

// None where it cannot be written down.
std::string current_directory() {
  std::error_code error;
  const std::string path = std::filesystem::current_path(error).string();
  return !error && valid_utf8(path) ? path : std::string();
}

struct Parts {
  TextData train, dev;
  std::vector<std::string> names;  // of all answers, those that only the held-out part has too
};

Parts read_parts(const TextRunOptions& options, const TextRunEvents& events) {
  TextData all = read_text_data(options.task, options.at(options.train), options.read);
  const bool splits = options.dev.empty();
  std::vector<std::string> names = answers_of(all, splits);
  if (all.repaired > 0 && events.note) {
    events.note(fmt::format(
        "lines or files that are not UTF-8, read as Latin-1 or with � for what is broken: {}",
        all.repaired));
  }
  if (!options.test.empty()) {
    check_answers(read_text_data(options.task, options.at(options.test), options.read_others()),
                  names, "test");
  }
  if (!splits) {
    TextData dev = read_text_data(options.task, options.at(options.dev), options.read_others());
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

// One example through the network: what does not fit together shows here.
void try_out(const Model& model, const Example& example) {
  Batch batch;
  batch.add(example);
  Context context;
  context.begin(Mode::kTrain);
  model.loss(context, BatchPart(batch));
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

// Both a fresh run and a resumed one, which differ in what is there already.
class TextRun {
 public:
  TextRun(RunFolder& folder, TextRunOptions options, const TextRunEvents& events)
      : folder_(folder), options_(std::move(options)), events_(events) {}

  // All that can be known is checked before anything is written.
  TextRunResult fresh(const std::atomic<bool>& stop) {
    options_.directory = current_directory();
    read();
    Config& config = options_.config;
    if (options_.choose_body && choose_body(parts_.train, config)) {
      note(
          "the texts are long: words are read without attention to each other (--body attention "
          "changes that)");
    }
    config.output.kind = options_.task;
    settle_answers(parts_.names, config.output);
    config.columns = parts_.train.columns;
    if (options_.balance_classes) {
      config.output.class_weights = balanced_weights(parts_.train, config.output.names);
    }
    const std::shared_ptr<const Tokenizer> tokenizer = train_tokenizer(parts_.train, config);
    count_entries(*tokenizer, config.text);
    Model model(config);
    check_room(folder_.path(), checkpoint_bytes(model.parameters(), options_.training.adamw));
    read_pretrained(*tokenizer, model);
    prepare(model, tokenizer);
    try_out(model, train_.front());
    folder_.begin();
    try {
      write_file(folder_.file(kRun), run_text(options_, fingerprint_));  // now it can be resumed
      save_description(folder_.run(), config, *tokenizer);
      const TextRunResult result = run(model, nullptr, stop);
      folder_.keep();
      return result;
    } catch (...) {
      if (file_exists(folder_.file(kState)) || folder_.ready()) folder_.keep();
      throw;
    }
  }

  TextRunResult resume(std::uint64_t expected, const std::atomic<bool>& stop) {
    read();
    if (fingerprint_ != expected) {
      throw FormatError(folder_.path() +
                        ": the training data has changed since the run began; begin anew "
                        "with --force");
    }
    if (!file_exists(folder_.file(kState))) {
      // What describes the model may be there already; it is the same.
      const std::shared_ptr<const Tokenizer> tokenizer =
          train_tokenizer(parts_.train, options_.config);
      Model model(options_.config);
      read_pretrained(*tokenizer, model);
      prepare(model, tokenizer);
      save_description(folder_.run(), model.config(), *tokenizer);
      return run(model, nullptr, stop);
    }
    const std::string path = folder_.file(kState);
    auto state = std::make_unique<SafetensorsFile>(read_file(path), path);
    check_description(folder_.run(), *state);
    Model model(load_config(folder_.run()));
    prepare(model, load_tokenizer(folder_.run(), model.config()));
    return run(model, std::move(state), stop);
  }

 private:
  void note(const std::string& sentence) const {
    if (events_.note) events_.note(sentence);
  }

  void read() {
    parts_ = read_parts(options_, events_);
    fingerprint_ = mix(fingerprint(parts_.train), fingerprint(parts_.dev));
    note(fmt::format("{} examples to learn from, {} {}", parts_.train.size(), parts_.dev.size(),
                     options_.dev.empty() ? "held out" : "for dev"));
  }

  void read_pretrained(const Tokenizer& tokenizer, Model& model) const {
    const std::string& path = model.config().text.vectors;
    if (path.empty()) return;
    const Vocabulary* vocabulary = tokenizer.vocabulary();
    if (vocabulary == nullptr) {
      throw UsageError(fmt::format("text.vectors {}: the tokenizer {} has no words to find there",
                                   path, name_of(tokenizer.kind())));
    }
    Index found = 0;
    for (const Parameter* words : model.in_each_member("input.words.weight")) {
      found =
          read_vectors(options_.at(path), *vocabulary, model.config().width, words->value.span());
    }
    note(fmt::format("{} of {} words have a vector in {}", found, vocabulary->size(), path));
  }

  // The examples, and what depends on them.
  void prepare(Model& model, const std::shared_ptr<const Tokenizer>& tokenizer) {
    prepare_.emplace(model.config(), tokenizer);
    train_ = text_examples(parts_.train, *prepare_);
    dev_ = text_examples(parts_.dev, *prepare_);
    note(fmt::format("{} numbers to learn, {} known, {} answers", model.parameters().size(),
                     entries_text(*tokenizer), model.config().output.names.size()));
    count_clues(train_, model);
    settle_by_data(options_.training, train_);
  }

  // From the state, or from the first step.
  TextRunResult run(Model& model, std::unique_ptr<const SafetensorsFile> state,
                    const std::atomic<bool>& stop) {
    Workers workers(options_.training.workers);
    const Metadata belongs = description_checksums(folder_.run());
    TrainingEvents events;
    Trainer* running = nullptr;
    events.step = [&](const TrainingState& at, const StepResult& result, float rate) {
      if (events_.step) events_.step(at, result, rate, best_of(at.evaluations));
    };
    events.evaluated = [&](const Evaluation& evaluation) {
      folder_.check();
      append_file(folder_.file(kLines), evaluation_lines({&evaluation, 1}));
      if (events_.evaluated) events_.evaluated(evaluation);
    };
    events.checkpoint = [&] {
      folder_.check();
      save_checkpoint(folder_.file(kState), *running, belongs);
    };
    Trainer trainer(
        model, train_, options_.training,
        [&](const Model& trained) {
          return score_text(parts_.dev, *prepare_, predict_all(trained, dev_, workers));
        },
        events);
    running = &trainer;
    Index rows = 0;
    for (const Example& example : dev_) rows += static_cast<Index>(example.tokens.size());
    trainer.expect_evaluations_of(rows);
    if (state != nullptr) load_checkpoint(*state, trainer);
    state.reset();
    const std::vector<Evaluation>& evaluations = trainer.state().evaluations;
    // What was evaluated after the checkpoint will be so again.
    write_file(folder_.file(kLines), evaluation_lines(evaluations));
    try {
      const Trainer::End end = trainer.run(stop);
      if (end == Trainer::End::kFinished) finish(model, evaluations);
      return {end, best_of(evaluations)};
    } catch (const IoError& error) {
      if (!file_exists(folder_.file(kState))) throw;
      throw IoError(std::string(error.what()) + "; the last checkpoint is kept: go on with " +
                    "heed train --resume " + folder_.path());
    }
  }

  void finish(const Model& model, std::span<const Evaluation> evaluations) {
    std::vector<CurvePoint> curve;
    for (const Evaluation& evaluation : evaluations) {
      CurvePoint point;
      point.step = evaluation.step;
      point.training_loss = evaluation.loss;
      point.dev_score = evaluation.score;
      curve.push_back(point);
    }
    folder_.check();
    write_file(folder_.file(kLines), evaluation_lines(evaluations));
    write_file(folder_.file("training.json"), run_text(options_, fingerprint_));
    write_file(folder_.file("curve.svg"),
               curve_svg(curve, std::filesystem::path(folder_.path()).filename().string()));
    save_weights(folder_.run(), model.parameters());  // last: now it is ready
    folder_.publish();
  }

  RunFolder& folder_;
  TextRunOptions options_;
  const TextRunEvents& events_;
  Parts parts_;
  std::uint64_t fingerprint_ = 0;
  std::optional<TextExamples> prepare_;
  std::vector<Example> train_, dev_;
};

}  // namespace

std::string TextRunOptions::at(const std::string& path) const {
  if (directory.empty() || directory == current_directory()) return path;
  return (std::filesystem::path(directory) / path).string();
}

std::vector<std::string> TextRunOptions::at(const std::vector<std::string>& paths) const {
  std::vector<std::string> result;
  result.reserve(paths.size());
  for (const std::string& path : paths) result.push_back(at(path));
  return result;
}

TextRunResult train_text(const std::string& folder, const TextRunOptions& options,
                         const TextRunEvents& events, const std::atomic<bool>& stop) {
  RunFolder place(folder);
  return TextRun(place, options, events).fresh(stop);
}

TextRunResult resume_text(const std::string& folder, const TextRunEvents& events,
                          const std::atomic<bool>& stop) {
  RunFolder place(folder);
  if (place.ready()) {  // killed after its last step
    place.publish();
    const std::string lines = folder + "/" + kLines;
    return {Trainer::End::kFinished, best_of(parse_evaluations(read_file(lines), lines))};
  }
  if (!place.begun()) {
    const bool finished = file_exists(folder + "/" + kWeightsFile);
    if (finished) place.clear();  // killed while it cleared up
    throw UsageError(folder + ": there is nothing to resume: " +
                     (finished ? "its training has finished" : "no training was begun there"));
  }
  std::uint64_t expected = 0;
  const std::string run = place.file(kRun);
  TextRunOptions options = parse_run(read_file(run), run, expected);
  return TextRun(place, std::move(options), events).resume(expected, stop);
}

}  // namespace heed
