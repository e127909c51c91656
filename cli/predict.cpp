#include "cli/predict.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/flag_values.h"
#include "cli/output.h"
#include "cli/read_flags.h"
#include "cli/train_options.h"
#include "heed/base/display.h"
#include "heed/base/json.h"
#include "heed/data/open.h"
#include "heed/model/folder.h"
#include "heed/model/predictor.h"
#include "heed/train/settings.h"

namespace heed::cli {
namespace {

struct PredictFlags {
  std::string folder;
  std::vector<std::string> files;
  ReadOptions read;
  Index top = 1;
  bool json = false, shares = false;
  std::deque<PathFlag> search;  // how texts are searched for; those with a value were given
  int workers = Workers::available();
};

// How the scores of one record came about: a list for each part, in the order of the classes.
void write_shares(const JsonPlace& place, const Predictor::Shares& shares) {
  const auto write = [&](const char* name, const std::vector<float>& scores) {
    if (scores.empty()) return;
    place[name].set_list();
    for (const float score : scores) place[name].append().set(score);
  };
  write("network", shares.network);
  write("wide", shares.wide);
}

// What standard input holds where nothing is said: lines; of sentences to tag, what they look like.
ReadOptions read_from(const std::string& file, ReadOptions read) {
  if (read.content == ContentKind::kAudio) return read;
  const bool typed = file == "-" && isatty(STDIN_FILENO) != 0;
  if (file == "-" && read.format.empty() && (typed || read.answer != AnswerKind::kTags)) {
    read.format = "lines";
  }
  return read;
}

// Options of a model that writes texts, for this time.
void change_search(const std::deque<PathFlag>& flags, Config& config) {
  Settings settings{config, {}};
  for (const PathFlag& flag : flags) {
    if (flag.value.empty()) continue;
    if (config.output->answer_kind() != AnswerKind::kSequence) {
      throw UsageError(fmt::format("{} {}: is for models that write texts; this one {}", flag.flag,
                                   flag.value, config.output->purpose()));
    }
    apply_setting(flag.flag, flag.path, flag.value, settings);
  }
  config = settings.config;
}

void predict(PredictFlags& flags) {
  const Model model =
      load_model(flags.folder, [&](Config& config) { change_search(flags.search, config); });
  const Output& output = *model.config().output;
  if (output.most_in_text() > 0 && flags.top > output.most_in_text() && !flags.json) {
    throw UsageError(fmt::format(
        "--top {}: a column has room for one tag of each word; --json shows more", flags.top));
  }
  if (flags.shares && !flags.json) throw UsageError("--shares: only together with --json");
  ReadOptions read = for_model(flags.read, model);
  if (flags.json && read.answer == AnswerKind::kTags) read.known = {};  // no columns are written
  const Predictor predictor(model, flags.workers);
  const auto print = [&](const Record& record, const Prediction& prediction) {
    if (!flags.json) {
      fmt::print("{}", output.answer_text(record, prediction));
      return;
    }
    const JsonText text;
    output.write_answer(text.root(), record, prediction);
    if (flags.shares) write_shares(text.root()["scores"], predictor.shares(record));
    fmt::print("{}\n", text.line());
  };
  Predictor::Stream stream{.top = flags.top, .answer = print, .flush = flush_output};
  Index bad = 0;
  if (flags.read.skip_bad) {
    stream.bad = [&](const Record&, const Error& error) {
      ++bad;
      fmt::print(stderr, "{}\n", error.what());
    };
  }
  if (flags.files.empty()) flags.files = {"-"};
  for (const std::string& file : flags.files) {
    const std::unique_ptr<RecordSource> source =
        opened(flags.folder, model, [&] { return open_records(file, read_from(file, read)); });
    predictor(*source, stream);
  }
  if (bad > 0) fmt::print(stderr, "files that cannot be read, left out: {}\n", with_commas(bad));
}

void add_search_flags(CLI::App& app, PredictFlags& flags) {
  CLI::Option_group* group = app.add_option_group("Writing texts");
  const auto add = [&](const char* flag, const char* option, const char* description) {
    PathFlag& place =
        flags.search.emplace_back(PathFlag{flag, fmt::format("output.search.{}", option), {}});
    return group->add_option(flag, place.value, description)->default_str("as it was trained");
  };
  add("--beam", "beam", "Hypotheses that are followed; 1: greedy")
      ->check(whole_number(between(1, 1000)));
  add("--length-penalty", "length_penalty",
      "Scores are divided by the length to this power: more prefers longer texts")
      ->check(number(between(-10, 10)));
  add("--longest", "longest", "The most tokens of a text")->check(whole_number(between(1, 1e6)));
  add("--temperature", "temperature",
      "Draw tokens at random in place of a search: below 1 more likely ones; 0: search")
      ->check(number(between(0, 100)));
  add("--top-k", "top_k", "Draw among the most likely tokens only; 0: all")
      ->check(whole_number(between(0, 1e8)));
  add("--top-p", "top_p", "Draw among the likeliest tokens that have this probability together")
      ->check(number({.low = 0, .high = 1, .low_allowed = false}));
  add("--seed", "seed", "Another number draws other texts")->check(seed_number());
}

}  // namespace

void add_predict(CLI::App& app) {
  auto flags = std::make_shared<PredictFlags>();
  CLI::App* predict_app =
      app.add_subcommand("predict", "Let a model answer for new texts or recordings");
  predict_app->add_option("MODEL", flags->folder, "The model's folder")->required();
  predict_app->add_option("FILE", flags->files, "Files to read, - being standard input")
      ->default_str("-");
  add_read_flags(*predict_app, flags->read, Answers::kOptional);
  add_sound_flags(*predict_app, flags->read);
  predict_app->add_option("--top", flags->top, "How many answers for each, the most likely first")
      ->check(whole_number(between(1, 100000)))
      ->capture_default_str();
  predict_app->add_flag("--json", flags->json, "For programs: one JSON object for each answer");
  predict_app->add_flag("--shares", flags->shares,
                        "With --json: the scores of all classes, those of the network and those "
                        "that TF-IDF adds to them");
  add_search_flags(*predict_app, *flags);
  predict_app->add_option("--workers", flags->workers, "Threads")
      ->check(whole_number(between(1, 1024)))
      ->default_str("one for each core");
  predict_app->footer(
      "A line of standard input is a text. Answers come in the order of the texts: the\n"
      "label and how likely it is, with a tab between; before them the name of the file\n"
      "where a folder was read. Tags are written into the column that the model was\n"
      "trained on, or into a new one; everything else stays. From a pipe, answers come\n"
      "as soon as there is nothing more to read at once. Recordings are files or a\n"
      "folder of them; tags of one are printed as file, start, end and tag.\n"
      "A model that writes texts writes one for each line; with --top several, each\n"
      "with its score, and an empty line behind them.\n"
      "\n"
      "Examples:\n"
      "  echo 'a fast text editor' | heed predict debian.heed --top 3\n"
      "  heed predict tagger.heed new.conllu > tagged.conllu\n"
      "  heed predict speakers.heed a.wav b.flac\n"
      "  heed predict de-en.heed test.de --beam 8 > test.en");
  predict_app->callback([flags] { predict(*flags); });
}

}  // namespace heed::cli
