#include "cli/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "cli/compare_variants.h"
#include "cli/exit.h"
#include "cli/flag_values.h"
#include "cli/interrupt.h"
#include "cli/read_flags.h"
#include "cli/train.h"
#include "heed/base/file.h"
#include "heed/base/progress.h"
#include "heed/eval/comparison.h"
#include "heed/train/defaults.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

// A new folder, an empty one, or one with a comparison, which goes with --force.
void prepare_folder(const CompareFlags& flags) {
  const std::string& folder = flags.folder;
  if (folder.empty()) throw UsageError("-o \"\": expected the name of a folder for the report");
  std::error_code error;
  if (!file_exists(folder)) return;
  if (!fs::is_directory(folder, error)) {
    throw UsageError(folder + ": is a file, expected the name of a folder for the report");
  }
  const std::string runs = folder + "/runs";
  if (!file_exists(runs) && !fs::is_empty(folder, error)) {
    throw UsageError(folder + ": is not empty and not a comparison; choose another folder");
  }
  if (flags.force) fs::remove_all(runs, error);
}

Match match_named(const CompareFlags& flags) {
  if (flags.match == "time") {
    if (flags.common.time.empty()) {
      throw UsageError("--match time: expected also --time, what each may take");
    }
    return Match::kTime;
  }
  return flags.match == "none" ? Match::kNone : Match::kParameters;
}

// All runs on the screen.
class Screen {
 public:
  CompareEvents events() {
    CompareEvents events;
    events.note = [this](const std::string& sentence) { say(sentence); };
    events.progress = [this](double done, double left, const std::string& text) {
      if (!progress_) progress_.emplace(1.0, ProgressOptions{.first = done});
      progress_->update(done, text, left);
    };
    events.finished = [this](const ComparedRun& run, const std::string& name) {
      say(fmt::format("{:<12} {:>6}  seed {}  {:.2f} %  {:.1f} s", name, amount_text(run.amount),
                      run.seed, 100.0 * run.score, run.seconds));
    };
    return events;
  }
  void finish() { progress_.reset(); }

 private:
  void say(const std::string& line) {
    if (progress_) {
      progress_->log(line);
    } else {
      fmt::print(stderr, "{}\n", line);
    }
  }

  std::optional<Progress> progress_;
};

void compare_with(const CLI::App& app, const std::string& task, const CompareFlags& flags) {
  CompareOptions options;
  options.task = task;
  options.command = fmt::format("heed compare {} {}", task, fmt::join(given(app, false), " "));
  options.match = match_named(flags);
  options.seeds = flags.seeds;
  options.amounts = parse_amounts(flags.amounts);
  options.lengths = parse_lengths(flags.lengths);
  options.variants = make_variants(app, flags);
  prepare_folder(flags);
  Screen screen;
  const CompareEvents events = screen.events();
  const auto found = compare(flags.folder, options, events, interrupted());
  screen.finish();
  if (!found) {
    fmt::print(stderr, "stopped; the runs that are done are kept, the same command goes on\n");
    throw Exit{kInterrupted};
  }
  for (const std::string& sentence : *found) fmt::print("{}\n", sentence);
  fmt::print("The report is in {}/report.html\n", flags.folder);
}

// The flags of heed train that mean nothing here.
void leave_out(CLI::App& app, const char* flag) {
  for (CLI::App* group :
       app.get_subcommands([](CLI::App* part) { return part->get_name().empty(); })) {
    if (CLI::Option* option = group->get_option_no_throw(flag)) group->remove_option(option);
  }
}

void add_compare_flags(CLI::App& app, CompareFlags& flags, const Config& start) {
  app.add_option("--bodies", flags.bodies, "Bodies to compare, with commas between")
      ->default_str("attention,cnn,lstm,window,bag")
      ->type_name("NAMES");
  app.add_option("--variant", flags.variants,
                 "Another thing to compare: a name, and flags of heed train, such as "
                 "deep=\"--layers 6\"; as often as you like")
      ->type_name("NAME=FLAGS")
      ->take_all();
  app.add_option("--match", flags.match,
                 "What is the same for all bodies: parameters (those of the first of them; hidden "
                 "layers of the others grow or shrink), time (with --time) or none")
      ->check(one_of({"parameters", "time", "none"}))
      ->type_name("parameters|time|none")
      ->capture_default_str();
  app.add_option("--seeds", flags.seeds, "Times that each is trained, with seeds from --seed on")
      ->check(whole_number(between(1, 1000)))
      ->capture_default_str();
  app.add_option("--amounts", flags.amounts,
                 "Parts of the training data to learn from, such as 1%,3%,10%,30%,100%")
      ->type_name("PARTS")
      ->capture_default_str();
  app.add_option("--lengths", flags.lengths,
                 "Lengths of made sequences on which speed and memory are measured; 0: none")
      ->type_name("NUMBERS")
      ->capture_default_str();
  if (start.wide->present()) {
    app.add_flag("--wide", flags.wide,
                 start.output->answers_rows() ? "With a linear CRF beside each network"
                                              : "With TF-IDF features beside each network");
  }
  app.add_flag("--force", flags.force, "Begin anew in a folder that has another comparison");
}

void add_task(CLI::App& compare_app, const char* task, const char* output,
              const char* description) {
  auto flags = std::make_shared<CompareFlags>();
  TrainFlags& common = flags->common;
  common.output = output;
  const Config start = default_config(output);
  CLI::App* app = compare_app.add_subcommand(task, description);
  app->add_option("DATA", common.run.train, "Files (or one folder) to learn from")->required();
  app->add_option("-o,--output", flags->folder, "The folder for the report, and for what is done")
      ->type_name("FOLDER")
      ->required();
  app->add_option("--dev", common.run.dev,
                  "Choose the best weights by these files, not by a part of DATA")
      ->type_name("FILE");
  app->add_option("--test", common.run.test, "Judge by these files, not by a part of DATA")
      ->type_name("FILE");
  app->add_option("--held-out", common.run.held_out,
                  "The part of DATA that is held out for dev, and for test, where there are none")
      ->check(number(between(0.001, 0.4)))
      ->default_str("0.1, at most 20000 examples");
  const AnswerKind answer = start.output->answer_kind();
  if (answer == AnswerKind::kLabel) {
    app->add_option("--group-column", common.run.read.group_column,
                    "Of examples with the same name in this column either all are held out or none")
        ->type_name("NAME");
  }
  add_compare_flags(*app, *flags, start);
  add_read_flags(*app, common.run.read, answer);
  add_model_flags(*app, common, start);
  add_training_flags(*app, common, start);
  leave_out(*app, "--body");
  leave_out(*app, "--no-wide");
  app->footer(
      "Each body learns from the same examples, with the same input and output and\n"
      "nothing beside the network, and is judged on the same test examples. The\n"
      "report says which won, by how much, and whether that is more than chance.\n"
      "\n"
      "Examples:\n"
      "  heed compare classify reviews.csv -o report\n"
      "  heed compare classify reviews.csv -o report --amounts 1%,10%,100% --seeds 5\n"
      "  heed compare classify reviews.csv -o report --bodies attention,lstm \\\n"
      "    --match time --time 1m\n"
      "  heed compare classify reviews.csv -o report --variant one=\"--heads 1\" \\\n"
      "    --variant four=\"--heads 4\"\n"
      "\n"
      "Ctrl-C stops; the same command goes on.");
  app->callback([app, task, flags] { compare_with(*app, task, *flags); });
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* compare_app =
      app.add_subcommand("compare", "Say which body is better on some data, with a report");
  add_task(*compare_app, "classify", "label",
           "Compare on one answer for a text, a recording or a picture");
  add_task(*compare_app, "tag", "tags",
           "Compare on one answer for each word, span of time or patch");
  compare_app->require_subcommand(1);
}

}  // namespace heed::cli
