#include "cli/predict.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <memory>

#include "cli/answer_printer.h"
#include "cli/flag_values.h"
#include "cli/output.h"
#include "cli/read_flags.h"
#include "cli/train_options.h"
#include "heed/base/display.h"
#include "heed/base/file.h"
#include "heed/data/open.h"
#include "heed/data/text/open.h"
#include "heed/data/utf8.h"
#include "heed/model/folder.h"
#include "heed/model/output/search.h"
#include "heed/model/predictor.h"
#include "heed/train/settings.h"

namespace heed::cli {
namespace {

struct PredictFlags {
  std::string folder;
  std::vector<std::string> files;
  ReadOptions read;
  Index top = 1;
  bool json = false, shares = false, keep = false;
  std::deque<PathFlag> search;  // how texts are searched for; those with a value were given
  int workers = Workers::available();
};

// Standard input, whose format is told by its first line; what is not plain lines is said aloud.
std::unique_ptr<RecordSource> open_standard_input(ReadOptions read) {
  LineReader lines("-");
  if (read.format.empty() && isatty(STDIN_FILENO) != 0) read.format = "lines";
  if (read.format.empty()) {
    read.format = find_piped_format(lines, read);
    if (read.format != "lines") {
      fmt::print(stderr,
                 "standard input is read as {}, by its first line; --format lines reads "
                 "each line as a text\n",
                 read.format);
    }
  }
  return open_piped(std::move(lines), read);
}

// A sentence in place of a file is meant to be answered: where there is no such file, say how.
void check_file(const std::string& file, const std::string& model, const ReadOptions& read) {
  if (file == "-" || file_exists(file)) return;
  const bool sentence =
      file.find(' ') != std::string::npos || file.find_first_of("./") == std::string::npos;
  if (read.content == ContentKind::kText && sentence) {
    throw UsageError(fmt::format(
        "there is no file \"{0}\"; a text comes from a pipe: echo \"{0}\" | heed predict {1}",
        shortened(file, 80), model));
  }
  throw IoError(fmt::format("{}: there is no such file or folder", file));
}

std::unique_ptr<RecordSource> open_to_answer(const std::string& file, const ReadOptions& read) {
  const bool piped = file == "-" && read.content == ContentKind::kText;
  return piped ? open_standard_input(read) : open_records(file, read);
}

// Options of a model that writes texts, for this time.
void change_search(const std::deque<PathFlag>& flags, Config& config) {
  Settings settings{config, {}};
  for (const PathFlag& flag : flags) {
    if (flag.value.empty()) continue;
    const AnswerKind answer = config.output->answer_kind();
    if (answer != AnswerKind::kSequence && answer != AnswerKind::kItself) {
      throw UsageError(fmt::format("{} {}: is for models that write texts; this one {}", flag.flag,
                                   flag.value, purpose(config)));
    }
    apply_setting(flag.flag, flag.path, flag.value, settings);
  }
  config = settings.config;
}

// Whether somebody may watch what is printed: a terminal or a program, and not a file.
bool is_watched() {
  struct stat status {};
  return fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode);
}

// Whether texts are written one after another, each bit as it comes: those of a language model
// where somebody may watch; translations where they are typed, since those of a file are much
// faster together.
bool writes_bits(const Output& output, const std::string& file) {
  if (!is_watched()) return false;
  if (output.predicts_input()) return true;
  return output.writes() && file == "-" && isatty(STDIN_FILENO) != 0;
}

void write_texts(const Predictor& predictor, RecordSource& source) {
  const bool continues = predictor.model().config().output->predicts_input();
  for (Record record; source.next(record);) {
    const auto* prompt = std::get_if<Text>(&record.content);
    if (continues && prompt != nullptr) fmt::print("{}", prompt->text);
    flush_output();
    predictor.write(record, [](std::string_view piece) {
      fmt::print("{}", in_a_line(std::string(piece)));
      flush_output();
    });
    fmt::print("\n");
    flush_output();
  }
}

void predict(PredictFlags& flags) {
  const Model model =
      load_model(flags.folder, [&](Config& config) { change_search(flags.search, config); });
  tell_unfinished(flags.folder);
  const Output& output = *model.config().output;
  if (output.most_in_text() > 0 && flags.top > output.most_in_text() && !flags.json) {
    throw UsageError(fmt::format(
        "--top {}: a column has room for one tag of each word; --json shows more", flags.top));
  }
  if (output.writes() && flags.top > kMostHypotheses) {
    throw UsageError(fmt::format("--top {}: expected at most {} for a model that writes texts",
                                 flags.top, kMostHypotheses));
  }
  if (flags.shares && !flags.json) throw UsageError("--shares: only together with --json");
  if (flags.keep && flags.json) {
    throw UsageError("--keep: writes answers into what was read, --json objects of its own");
  }
  if (flags.keep && !flags.read.tag_column.empty()) {
    throw UsageError("--keep: adds a column behind the last, --tag-column names another");
  }
  ReadOptions read = for_model(flags.read, model);
  read.keep = flags.keep;
  if (flags.json && read.answer == AnswerKind::kTags) {  // no columns are written
    read.known.tag.clear();
    read.known.count = 0;
  }
  const Predictor predictor(model, flags.workers, Predictor::Weights::kStay);
  using Form = AnswerPrinter::Form;
  const Form form = flags.json ? Form::kJson : flags.keep ? Form::kKeep : Form::kText;
  AnswerPrinter print(predictor, {form, flags.top, flags.shares});
  Predictor::Stream stream{.top = flags.top, .answer = std::ref(print), .flush = flush_output};
  Index bad = 0;
  if (flags.read.skip_bad) {
    stream.bad = [&](const Record&, const Error& error) {
      ++bad;
      fmt::print(stderr, "{}\n", error.what());
    };
  }
  if (flags.files.empty()) flags.files = {"-"};
  for (const std::string& file : flags.files) {
    check_file(file, flags.folder, read);
    const std::unique_ptr<RecordSource> source =
        opened(flags.folder, model, [&] { return open_to_answer(file, read); });
    if (form == Form::kText && flags.top == 1 && writes_bits(output, file)) {
      write_texts(predictor, *source);
      continue;
    }
    print.begin(*source, file);
    predictor(*source, stream);
    print.end(*source);
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
  predict_app->add_flag("--json", flags->json,
                        "For programs: one JSON object for each answer, with the file, the line, "
                        "the id and the text that it is about");
  predict_app->add_flag("--keep", flags->keep,
                        "Give back what was read, to the byte, with the answers as more columns "
                        "(CSV, TSV, CoNLL) or keys (JSONL), or behind each line");
  predict_app->add_flag("--shares", flags->shares,
                        "With --json: the scores of all classes, those of the network and those "
                        "that the linear model beside it adds to them");
  add_search_flags(*predict_app, *flags);
  predict_app->add_option("--workers", flags->workers, "Threads")
      ->check(whole_number(between(1, 1024)))
      ->default_str("one for each core");
  predict_app->footer(
      "A line of standard input is a text; JSON objects and tables are recognised by\n"
      "the first line. Answers come in the order of the texts: the label and how likely\n"
      "it is, with a tab between; before them the name of the file where a folder was\n"
      "read. Texts to tag are split into words. Tags of CoNLL are written into the\n"
      "column that the model was trained on, or into a new one; everything else stays.\n"
      "From a pipe, answers come as soon as there is nothing more to read at once.\n"
      "Recordings are files or a folder of them; tags of one are printed as file,\n"
      "start, end and tag. A model that writes texts writes one for each line; with\n"
      "--top several, each with its score, and an empty line behind them. For lines\n"
      "that are typed, each bit of a text is printed as soon as it is certain. A\n"
      "language model continues each line, token by token as they come; the same prompt\n"
      "in the same way, unless there is another --seed. Of a prompt that is too long\n"
      "the end is read.\n"
      "\n"
      "Examples:\n"
      "  echo 'a fast text editor' | heed predict debian.heed --top 3\n"
      "  heed predict reviews.heed new.csv --keep > answered.csv\n"
      "  heed predict tagger.heed new.conllu > tagged.conllu\n"
      "  heed predict speakers.heed a.wav b.flac\n"
      "  heed predict de-en.heed test.de --beam 8 > test.en\n"
      "  echo 'A man in a' | heed predict captions.heed --temperature 0.7");
  predict_app->callback([flags] { predict(*flags); });
}

}  // namespace heed::cli
