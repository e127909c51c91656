#include "cli/train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>

#include "cli/flag_values.h"
#include "cli/read_flags.h"
#include "cli/train_options.h"
#include "cli/train_run.h"
#include "cli/train_tasks.h"
#include "heed/model/input/text.h"
#include "heed/model/options.h"
#include "heed/train/defaults.h"
#include "heed/train/presets.h"
#include "heed/train/settings.h"

namespace heed::cli {
namespace {

// What there is to choose from, as help shows it: "attention|lstm|bag".
std::string all_choices(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, "|"));
}

// Flags that set an option of the config by its path; the default is that of the task.
class PathFlags {
 public:
  PathFlags(CLI::App& group, TrainFlags& flags, const Config& start)
      : group_(group), flags_(flags), start_(start) {}

  CLI::Option* add(const char* flag, const char* path, const char* description) {
    PathFlag& place = flags_.paths.emplace_back(PathFlag{flag, path, {}});
    return group_.add_option(flag, place.value, description)
        ->default_str(option_text(start_, path));
  }

 private:
  CLI::App& group_;
  TrainFlags& flags_;
  const Config& start_;
};

// Of tasks that write texts.
void add_writing_flags(PathFlags& paths) {
  paths.add("--target-tokenizer", "output.tokenizer.kind", "What a target is divided into")
      ->type_name(all_choices(all_names<TokenizerOptions::Kind>()));
  paths
      .add("--target-vocabulary", "output.tokenizer.vocabulary",
           "How many different tokens targets have at most")
      ->check(whole_number(between(2, kMostEntries)));
  paths.add("--decoder-layers", "output.decoder.layers", "Layers of the decoder, which writes")
      ->check(whole_number(between(1, kMostLayers)));
  paths
      .add("--decoder-heads", "output.decoder.attention.heads",
           "Attention heads of a decoder layer; they divide the width")
      ->check(whole_number(at_least(1)));
  paths
      .add("--beam", "output.search.beam",
           "Hypotheses that are followed when a text is written; 1: greedy")
      ->check(whole_number(between(1, 1000)));
  paths.add("--longest", "output.search.longest", "The most tokens that are written for one text")
      ->check(whole_number(between(1, kMostRows)));
}

}  // namespace

void add_model_flags(CLI::App& app, TrainFlags& flags, const Config& start) {
  const bool several = start.output.kind() == "labels";
  const bool label = start.output.kind() == "label" || several,
             tags = start.output.kind() == "tags";
  CLI::Option_group* size = app.add_option_group("Model");
  PathFlags paths(*size, flags, start);
  size->add_option("--preset", flags.preset,
                   "Width, layers, heads and dropout in one word, or a whole network (default by "
                   "the task and the amount of data)")
      ->type_name(all_choices(preset_names(start.output.kind())));
  size->add_option("--config", flags.config_file,
                   "Options from a JSON file, named as in a model's config.json")
      ->type_name("FILE");
  size->add_option("--body", flags.body,
                   "What lets the words of a text see each other; several with a comma between are "
                   "an ensemble of networks")
      ->type_name(all_choices(Registry<Body>::instance().names()))
      ->default_str(start.body.kind());
  const bool texts = start.input.kind() == "text";
  if (texts && !tags) {  // words to tag are there already
    paths.add("--tokenizer", "input.tokenizer.kind", "What a text is divided into")
        ->type_name(all_choices(all_names<TokenizerOptions::Kind>()));
  }
  if (texts) {
    paths
        .add("--vocabulary", "input.tokenizer.vocabulary",
             "How many different tokens it knows at most")
        ->check(whole_number(between(2, kMostEntries)));
    paths
        .add("--truncate", "input.truncation",
             "Tokens of a text that are read, the rest is not; 0: all")
        ->check(whole_number(between(0, kMostRows)));
  }
  paths
      .add("--segment", "body.segment",
           "Read longer texts in segments of so many tokens, each of which remembers those before "
           "it; 0: whole (attention)")
      ->check(whole_number(between(0, kMostRows)));
  paths.add("--width", "width", "Numbers in the vector of a token")
      ->check(whole_number(between(1, kMostWidth)));
  paths.add("--layers", "body.layers", "Layers of the body, one after another")
      ->check(whole_number(between(1, kMostLayers)));
  paths.add("--heads", "body.attention.heads", "Attention heads of a layer; they divide the width")
      ->check(whole_number(at_least(1)));
  if (label) {
    paths.add("--pooling", "output.pooling", "How the vectors of a text become one")
        ->type_name(all_choices(all_names<nn::PoolingKind>()));
    if (several) {
      paths
          .add("--threshold", "output.threshold",
               "A label is an answer from this probability on; 0: chosen on held-out data")
          ->check(number(between(0, 1)));
    } else {
      size->add_flag("--no-wide", flags.no_wide,
                     "The network alone, without a linear SVM and naive Bayes beside it");
    }
  } else if (tags) {
    size->add_flag("--crf", flags.crf,
                   "Choose the best sequence of tags, not each word's best; the default, unless "
                   "there is label smoothing, --balance or an ensemble");
    size->add_flag("--no-crf", flags.no_crf, "Choose each word's best tag");
    size->add_flag("--no-wide", flags.no_wide,
                   "The network alone, without a linear CRF beside it (text)");
  } else if (start.output.kind() == "sequence") {
    add_writing_flags(paths);
    if (texts) {
      size->add_flag("--shared-vocabulary", flags.shared_vocabulary,
                     "One vocabulary for what is read and what is written");
    }
  }
  size->add_option("--set", flags.settings,
                   "Any option of config.json, or of training, by its path, such as "
                   "body.attention.score=additive or training.adamw.decay=0.1")
      ->type_name("NAME=VALUE")
      ->take_all();
}

void add_training_flags(CLI::App& app, TrainFlags& flags, const Config& start) {
  TrainingOptions training;
  start_training(start, training);
  CLI::Option_group* run = app.add_option_group("Training");
  PathFlags paths(*run, flags, start);
  run->add_option("--epochs", flags.epochs, "Times through the data")
      ->default_str("by the amount of data")
      ->check(whole_number(between(1, 100000)));
  run->add_option("--time", flags.time,
                  "Train as well as possible in 90s, 5m or 1h, in place of --epochs")
      ->type_name("TIME");
  run->add_option("--rate", flags.rate, "The largest learning rate")
      ->default_str(fmt::format("{}", training.rate))
      ->check(number(above(0)));
  run->add_option("--dropout", flags.dropout,
                  "The part of all numbers that is left out at random in training")
      ->default_str(option_text(start, "body.dropout"))
      ->check(number(part_of_one()));
  if (start.input.kind() == "text") {
    paths
        .add("--word-dropout", "input.word_dropout",
             "The part of all words that is hidden in training")
        ->check(number(part_of_one()));
  }
  paths
      .add("--smoothing", "output.smoothing",
           "Label smoothing: probability mass given to the other classes")
      ->check(number(part_of_one()));
  const AnswerKind answer = start.output->answer_kind();
  if (answer == AnswerKind::kLabel || answer == AnswerKind::kTags) {
    run->add_flag("--balance", flags.run.balance, "Let rare answers weigh more");
  }
  run->add_option("--patience", flags.patience,
                  "Stop after so many evaluations without gain; 0: never")
      ->default_str(std::to_string(TrainingOptions{}.patience))
      ->check(whole_number(at_least(0)));
  run->add_option("--select", flags.select,
                  "The measure on held-out data that chooses the weights: accuracy, macro-f1, f1, "
                  "loss, ...; of equal ones the lower loss")
      ->type_name("MEASURE")
      ->default_str("the first that the report names");
  run->add_option("--workers", flags.workers, "Threads that train")
      ->check(whole_number(between(1, 1024)))
      ->default_str("one for each core");
  run->add_option("--seed", flags.seed, "Another number gives another, equally good model")
      ->default_str(std::to_string(TrainingOptions{}.seed))
      ->check(seed_number());
}

namespace {

// Flags of heed train itself, which are for --resume, before a task.
void refuse_before(const CLI::App& train_app, const char* task) {
  if (train_app.count("--resume") > 0) {
    throw UsageError(fmt::format(
        "--resume stands before the task {}: a run that goes on needs no task, only --resume MODEL",
        task));
  }
  for (const char* flag : {"--time", "--epochs", "--patience"}) {
    if (train_app.count(flag) == 0) continue;
    throw UsageError(fmt::format("{} stands before the task {}: put it behind", flag, task));
  }
}

void add_task(CLI::App& train_app, const Task& task) {
  auto flags = std::make_shared<TrainFlags>();
  flags->output = task.output;
  flags->task = task.settings;
  flags->run.read.content = task.content;
  const bool text = task.content == ContentKind::kUnknown;
  Settings first{default_config(task.output, text ? ContentKind::kText : task.content), {}};
  for (const std::string& setting : task.settings) apply_setting(setting, first);
  const Config& start = first.config;
  CLI::App* app = train_app.add_subcommand(task.name, task.description);
  app->add_option("DATA", flags->run.train, "Files (or one folder) to learn from")->required();
  app->add_option("-o,--output", flags->folder, "The folder to make for the model")
      ->type_name("FOLDER")
      ->required();
  app->add_option("--dev", flags->run.dev,
                  "Choose the best model by these files, not by a part of DATA that is held out")
      ->type_name("FILE");
  app->add_option("--test", flags->run.test, "Evaluate the finished model on these files")
      ->type_name("FILE");
  app->add_option("--held-out", flags->held_out,
                  "The part of DATA that is held out where there is no --dev")
      ->check(number(between(0.001, 0.9)))
      ->default_str("0.1, at most 2500 examples");
  app->add_option("--from", flags->run.from,
                  "Go on from this model, with its network, its vocabulary and its weights; DATA "
                  "may have new classes")
      ->type_name("MODEL");
  const AnswerKind answer = start.output->answer_kind();
  if (answer != AnswerKind::kTags) {
    app->add_option("--group-column", flags->run.read.group_column,
                    "Of examples with the same name in this column, such as the author or the day, "
                    "either all are held out or none")
        ->type_name("NAME");
  }
  add_read_flags(*app, flags->run.read, answer);
  app->add_flag("--force", flags->force, "Replace a model that is in the folder already");
  add_model_flags(*app, *flags, start);
  add_training_flags(*app, *flags, start);
  app->footer(task.footer);
  app->callback([&train_app, flags, name = task.name] {
    refuse_before(train_app, name);
    train(*flags);
  });
}

}  // namespace

namespace {

// What --resume may be given anew.
struct ResumeFlags {
  std::string folder, time;
  std::optional<Index> epochs, patience;
};

void add_resume_flags(CLI::App& app, ResumeFlags& flags) {
  app.add_option("--resume", flags.folder, "Go on with the training that was begun in this folder")
      ->type_name("FOLDER");
  app.add_option("--time", flags.time,
                 "With --resume: another time for all of it, what has passed included")
      ->type_name("TIME");
  app.add_option("--epochs", flags.epochs,
                 "With --resume: another number of times through the data, those done included")
      ->check(whole_number(between(1, 100000)));
  app.add_option("--patience", flags.patience,
                 "With --resume: stop after so many evaluations without gain; 0: never")
      ->check(whole_number(at_least(0)));
}

void resume(const CLI::App& app, const ResumeFlags& flags) {
  if (app.count("--resume") == 0) {
    for (const char* flag : {"--time", "--epochs", "--patience"}) {
      if (app.count(flag) == 0) continue;
      throw UsageError(fmt::format(
          "{} stands before the task: say heed train classify DATA ... {} ..., or --resume MODEL",
          flag, flag));
    }
    std::vector<std::string> tasks;
    for (const Task& task : kTasks) tasks.emplace_back(task.name);
    throw UsageError(
        fmt::format("heed train needs a task ({}), or --resume MODEL", fmt::join(tasks, ", ")));
  }
  if (flags.folder.empty()) {
    throw UsageError("--resume \"\": expected the name of a model's folder");
  }
  if (!flags.time.empty() && flags.epochs) refuse_both("--time", "--epochs");
  ResumeOptions anew{.epochs = flags.epochs, .patience = flags.patience};
  if (!flags.time.empty()) anew.seconds = parse_time(flags.time);
  cli::resume(flags.folder, anew);
}

}  // namespace

void add_train(CLI::App& app) {
  CLI::App* train_app = app.add_subcommand("train", "Learn a model from labelled files");
  auto flags = std::make_shared<ResumeFlags>();
  add_resume_flags(*train_app, *flags);
  for (const Task& task : kTasks) add_task(*train_app, task);
  train_app->require_subcommand(0, 1);
  train_app->callback([train_app, flags] {
    if (train_app->get_subcommands().empty()) resume(*train_app, *flags);
  });
  train_app->footer(
      "Examples:\n"
      "  heed train classify reviews.csv -o reviews.heed\n"
      "  heed train classify news/train -o news.heed --test news/test --time 10m\n"
      "  heed train label posts.jsonl -o posts.heed\n"
      "  heed train tag train.conllu --dev dev.conllu -o tagger.heed\n"
      "  heed train translate train.de train.en -o de-en.heed\n"
      "  heed train transcribe speech.csv -o speech.heed\n"
      "  heed train generate captions.txt -o captions.heed\n"
      "  heed train classify more.csv -o reviews2.heed --from reviews.heed\n"
      "  heed train --resume tagger.heed --time 20m");
}

}  // namespace heed::cli
