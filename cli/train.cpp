#include "cli/train.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/evaluate.h"
#include "cli/exit.h"
#include "cli/flag_values.h"
#include "cli/interrupt.h"
#include "cli/read_flags.h"
#include "cli/train_options.h"
#include "heed/base/file.h"
#include "heed/base/progress.h"
#include "heed/model/config_json.h"
#include "heed/train/run_folder.h"
#include "heed/train/run_json.h"
#include "heed/train/text_defaults.h"
#include "heed/train/text_run.h"

namespace heed::cli {
namespace {

// What there is to choose from, as help shows it: "attention|bag|window".
template <typename T>
std::string all_choices() {
  return fmt::format("{}", fmt::join(all_names<T>(), "|"));
}

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

// A run on the screen.
class Screen {
 public:
  explicit Screen(const TextRunOptions& options) : judges_(judges(options)) {}

  // What the score is of.
  static const char* judges(const TextRunOptions& options) {
    return options.dev.empty() ? "held out" : "dev";
  }

  TextRunEvents events() {
    TextRunEvents events;
    events.note = [](const std::string& sentence) { fmt::print(stderr, "{}\n", sentence); };
    events.step = [this](const TrainingState& state, const StepResult& result, float rate,
                         double best) {
      if (!progress_) {
        progress_.emplace(1.0, ProgressOptions{.first = state.steps > 1 ? state.progress : 0.0});
      }
      smooth_ = smooth_ < 0.0 ? result.loss : 0.95 * smooth_ + 0.05 * result.loss;
      progress_->update(
          state.progress,
          fmt::format("epoch {}  loss {:.3f}  rate {:.1e}", state.epoch + 1, smooth_, rate) +
              (state.evaluations.empty() ? std::string()
                                         : fmt::format("  best {:.2f} %", 100.0 * best)));
    };
    events.evaluated = [this](const Evaluation& evaluation) {
      const std::string line = fmt::format(
          "epoch {:>2}  step {:>6}  loss {:.4f}  {} {:.2f} %{}", evaluation.epoch, evaluation.step,
          evaluation.loss, judges_, 100.0 * evaluation.score, evaluation.best ? "  best" : "");
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
  std::optional<Progress> progress_;
  double smooth_ = -1.0;
};

void finish(const std::string& folder, const TextRunResult& result) {
  if (result.end == Trainer::End::kStopped) {
    fmt::print(stderr, "stopped and saved; go on with: heed train --resume {}\n", folder);
    throw Exit{kInterrupted};
  }
  const std::string path = folder + "/training.json";
  std::uint64_t ignored = 0;
  const TextRunOptions options = parse_run(read_file(path), path, ignored);
  fmt::print(stderr, "the model is in {}; {} {:.2f} %\n", folder, Screen::judges(options),
             100.0 * result.best_score);
  if (!options.test.empty()) {
    evaluate_and_record(folder, options.at(options.test), options.read_others(),
                        options.training.workers);
  }
}

void resume(const std::string& folder) {
  std::uint64_t ignored = 0;
  const std::string path = run_folder(folder) + "/run.json";
  TextRunOptions options;
  if (file_exists(path)) options = parse_run(read_file(path), path, ignored);
  Screen screen(options);
  const TextRunResult result = resume_text(folder, screen.events(), interrupted());
  screen.finish();
  finish(folder, result);
}

void train(TrainFlags& flags) {
  settle_options(flags);
  check_folder(flags);
  Screen screen(flags.run);
  const TextRunResult result = train_text(flags.folder, flags.run, screen.events(), interrupted());
  screen.finish();
  finish(flags.folder, result);
}

constexpr const char* kClassifyFooter =
    "DATA may be, as it is or as .gz:\n"
    "  reviews.csv, reviews.tsv  columns with names; those of text and label are\n"
    "                            found, or named by --text-column, --label-column\n"
    "  reviews.jsonl             a JSON object in each line, with such names\n"
    "  train.txt                 fastText's lines: __label__good a quiet, moving film\n"
    "  reviews/                  a folder for each label, in it a file for each text\n"
    "\n"
    "Examples:\n"
    "  heed train classify reviews.csv -o reviews.heed\n"
    "  heed train classify news/train -o news.heed --test news/test --time 10m\n"
    "  heed train classify mail.jsonl -o mail.heed --label-column folder --balance\n"
    "  heed train classify names.tsv -o names.heed --tokenizer character\n"
    "\n"
    "Ctrl-C saves and stops; heed train --resume FOLDER goes on as if nothing had\n"
    "happened.";

constexpr const char* kTagFooter =
    "DATA may be, as it is or as .gz:\n"
    "  train.conllu  CoNLL-U; --tag-column upos (the default), xpos, ...\n"
    "  train.conll   a word and its tags in each line, an empty line between\n"
    "                sentences; --tag-column is the number of the column, from 1\n"
    "\n"
    "Examples:\n"
    "  heed train tag train.conllu --dev dev.conllu -o tagger.heed\n"
    "  heed train tag names.conll -o names.heed --crf --time 10m\n"
    "\n"
    "Ctrl-C saves and stops; heed train --resume FOLDER goes on as if nothing had\n"
    "happened.";

void add_task(CLI::App& train_app, const char* name, OutputKind task, const char* description) {
  auto flags = std::make_shared<TrainFlags>();
  flags->run.task = task;
  CLI::App* app = train_app.add_subcommand(name, description);
  app->add_option("DATA", flags->run.train, "Files (or one folder) to learn from")->required();
  app->add_option("-o,--output", flags->folder, "The folder to make for the model")
      ->type_name("FOLDER")
      ->required();
  app->add_option("--dev", flags->run.dev,
                  "Choose the best model by these files, not by a part of DATA that is held out")
      ->type_name("FILE");
  app->add_option("--test", flags->run.test, "Evaluate the finished model on these files")
      ->type_name("FILE");
  app->add_option("--held-out", flags->run.held_out,
                  "The part of DATA that is held out where there is no --dev")
      ->check(number(between(0.001, 0.9)))
      ->capture_default_str();
  if (task == OutputKind::kLabel) {
    app->add_option("--group-column", flags->run.read.group_column,
                    "Of examples with the same name in this column, such as the author or the day, "
                    "either all are held out or none")
        ->type_name("NAME");
  }
  add_read_flags(*app, flags->run.read, task);
  app->add_flag("--force", flags->force, "Replace a model that is in the folder already");

  CLI::Option_group* size = app->add_option_group("Model");
  const Config start = default_config(task);
  size->add_option("--preset", flags->preset, "Width, layers, heads and dropout in one word")
      ->type_name("tiny|small|base")
      ->default_str("small");
  size->add_option("--config", flags->config_file,
                   "Options from a JSON file, named as in a model's config.json")
      ->type_name("FILE");
  size->add_option(
          "--body", flags->body,
          "What lets the words of a text see each other; several with a comma between are as "
          "many networks, which answer together")
      ->type_name(all_choices<BodyKind>())
      ->default_str(std::string(name_of(start.body.kind)));
  if (task == OutputKind::kLabel) {  // words to tag are there already
    size->add_option("--tokenizer", flags->tokenizer, "What a text is divided into")
        ->type_name(all_choices<TokenizerOptions::Kind>())
        ->default_str(std::string(name_of(start.text.tokenizer.kind)));
  }
  size->add_option("--vocabulary", flags->vocabulary, "How many different tokens it knows at most")
      ->default_str(std::to_string(start.text.tokenizer.vocabulary))
      ->check(whole_number(between(2, kMostEntries)));
  size->add_option("--longest", flags->longest, "Tokens of a text that are read at a time")
      ->default_str(std::to_string(start.text.longest))
      ->check(whole_number(between(1, kMostRows)));
  size->add_option("--beyond", flags->beyond,
                   "What is beyond them: not read, or read in segments of so many, each of which "
                   "remembers those before it")
      ->type_name(all_choices<Beyond>())
      ->default_str(std::string(name_of(start.text.beyond)));
  size->add_option("--width", flags->width, "Numbers in the vector of a token")
      ->default_str(std::to_string(start.width))
      ->check(whole_number(between(1, kMostWidth)));
  size->add_option("--layers", flags->layers, "Layers of the body, one after another")
      ->default_str(std::to_string(start.body.encoder.layers))
      ->check(whole_number(between(1, kMostLayers)));
  size->add_option("--heads", flags->heads, "Attention heads of a layer; they divide the width")
      ->default_str(std::to_string(start.body.encoder.attention.heads))
      ->check(whole_number(at_least(1)));
  if (task == OutputKind::kLabel) {
    size->add_option("--pooling", flags->pooling, "How the vectors of a text become one")
        ->type_name(all_choices<nn::Pool>())
        ->default_str(std::string(name_of(start.output.pooling)));
  } else {
    size->add_flag("--crf", flags->crf, "Choose the best row of tags, not each word's best");
  }
  size->add_option("--set", flags->settings,
                   "Any option of config.json, or of training, by its path, such as "
                   "body.encoder.attention.score=additive or training.adamw.decay=0.1")
      ->type_name("NAME=VALUE")
      ->take_all();

  CLI::Option_group* run = app->add_option_group("Training");
  run->add_option("--epochs", flags->epochs, "Times through the data")
      ->default_str("by the amount of data")
      ->check(whole_number(between(1, 100000)));
  run->add_option("--time", flags->time,
                  "Train as well as possible in 90s, 5m or 1h, in place of --epochs")
      ->type_name("TIME");
  run->add_option("--rate", flags->rate, "The largest learning rate")
      ->default_str(fmt::format("{}", TrainingOptions{}.rate))
      ->check(number(above(0)));
  run->add_option("--dropout", flags->dropout,
                  "The part of all numbers that is left out at random in training")
      ->default_str(fmt::format("{}", start.text.dropout))
      ->check(number(part_of_one()));
  run->add_option("--word-dropout", flags->word_dropout,
                  "The part of all words that is hidden in training")
      ->default_str(fmt::format("{}", start.text.word_dropout))
      ->check(number(part_of_one()));
  run->add_option("--smoothing", flags->smoothing,
                  "How much of the truth is given to other answers")
      ->default_str(fmt::format("{}", start.output.smoothing))
      ->check(number(part_of_one()));
  run->add_flag("--balance", flags->run.balance_classes, "Let rare answers weigh more");
  run->add_option("--patience", flags->patience,
                  "Stop after so many evaluations without gain; 0: never")
      ->default_str(std::to_string(TrainingOptions{}.patience))
      ->check(whole_number(at_least(0)));
  run->add_option("--workers", flags->workers, "Threads that train")
      ->check(whole_number(between(1, 1024)))
      ->default_str("one for each core");
  run->add_option("--seed", flags->seed, "Another number gives another, equally good model")
      ->default_str(std::to_string(TrainingOptions{}.seed))
      ->check(seed_number());
  app->footer(task == OutputKind::kLabel ? kClassifyFooter : kTagFooter);
  app->callback([flags] { train(*flags); });
}

}  // namespace

void add_train(CLI::App& app) {
  CLI::App* train_app = app.add_subcommand("train", "Learn a model from labelled files");
  auto folder = std::make_shared<std::string>();
  train_app
      ->add_option("--resume", *folder, "Go on with the training that was begun in this folder")
      ->type_name("FOLDER");
  add_task(*train_app, "classify", OutputKind::kLabel,
           "Learn one answer for a text: its topic, its sentiment, its section");
  add_task(*train_app, "tag", OutputKind::kTags,
           "Learn one answer for each word: parts of speech, names");
  train_app->require_subcommand(0, 1);
  train_app->callback([train_app, folder] {
    if (!train_app->get_subcommands().empty()) return;
    if (train_app->count("--resume") == 0) {
      throw UsageError("heed train needs a task (classify or tag), or --resume MODEL");
    }
    if (folder->empty()) throw UsageError("--resume \"\": expected the name of a model's folder");
    resume(*folder);
  });
  train_app->footer(
      "Examples:\n"
      "  heed train classify reviews.csv -o reviews.heed\n"
      "  heed train classify news/train -o news.heed --test news/test --time 10m\n"
      "  heed train tag train.conllu --dev dev.conllu -o tagger.heed\n"
      "  heed train --resume tagger.heed");
}

}  // namespace heed::cli
