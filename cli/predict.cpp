#include "cli/predict.h"

#include <fmt/format.h>
#include <unistd.h>

#include <exception>
#include <memory>

#include "cli/flag_values.h"
#include "cli/output.h"
#include "cli/read_flags.h"
#include "heed/base/display.h"
#include "heed/base/json.h"
#include "heed/data/text/open.h"
#include "heed/data/utf8.h"
#include "heed/model/folder.h"
#include "heed/model/predict.h"

namespace heed::cli {
namespace {

struct PredictFlags {
  std::string folder;
  std::vector<std::string> files;
  TextReadOptions read;
  Index top = 1;
  bool json = false;
  int workers = Workers::available();
};

// Examples are predicted so many at a time: memory stays flat however long the input is. Where the
// next one is still to be written, into a pipe or a terminal, answers come without waiting for it.
constexpr std::size_t kChunk = 2048;

void write_answers(const JsonPlace& list, const char* what, const std::vector<Answer>& answers,
                   const std::vector<std::string>& names) {
  list.set_list();
  for (const Answer& answer : answers) {
    const JsonPlace place = list.append();
    place[what].set(std::string_view(names[static_cast<std::size_t>(answer.index)]));
    place["probability"].set(answer.probability);
  }
}

// A text that is a whole file is told by its name, as there is no line to count.
void print_label(const LabelledText& read, const Prediction& prediction,
                 const std::vector<std::string>& names, bool json) {
  const std::vector<Answer>& answers = prediction.answers.front();
  const bool whole_file = read.line == 0;
  if (!json) {
    std::vector<std::string> fields;
    if (whole_file) fields.push_back(printable(read.file));
    for (const Answer& answer : answers) {
      fields.push_back(printable(names[static_cast<std::size_t>(answer.index)]));
      fields.push_back(fmt::format("{:.4f}", answer.probability));
    }
    fmt::print("{}\n", fmt::join(fields, "\t"));
    return;
  }
  const JsonText text;
  if (whole_file) {
    std::string file = read.file;
    repair_utf8(file);
    text.root()["file"].set(std::string_view(file));
  }
  write_answers(text.root()["answers"], "label", answers, names);
  fmt::print("{}\n", text.line());
}

void print_tags(const TaggedSentence& sentence, const Prediction& prediction,
                const std::vector<std::string>& names, bool json) {
  std::vector<std::string> tags;
  for (std::size_t i = 0; i < sentence.words.size(); ++i) {
    // A model that cuts says nothing about the words beyond what it reads.
    tags.push_back(i < prediction.answers.size()
                       ? names[static_cast<std::size_t>(prediction.answers[i].front().index)]
                       : "_");
  }
  if (!json) {
    fmt::print("{}", with_tags(sentence, sentence.tag_column, tags));
    return;
  }
  const JsonText text;
  const JsonPlace list = text.root()["words"];
  list.set_list();
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const JsonPlace place = list.append();
    place["word"].set(std::string_view(sentence.words[i]));
    place["tag"].set(std::string_view(tags[i]));
    if (i >= prediction.answers.size()) continue;
    const std::vector<Answer>& answers = prediction.answers[i];
    place["probability"].set(answers.front().probability);
    if (answers.size() > 1) write_answers(place["answers"], "tag", answers, names);
  }
  fmt::print("{}\n", text.line());
}

// Prepares with `example(item)`, prints with `print(item, prediction)`.
template <typename Item, typename Source, typename Prepare, typename Print>
void stream(const Model& model, const PredictFlags& flags, Source& source, Prepare example,
            Print print) {
  Workers workers(flags.workers);
  for (bool more = true; more;) {
    std::vector<Item> items;
    std::vector<Example> examples;
    Item item;
    std::exception_ptr wrong;  // with what comes next; what came before it is answered first
    try {
      while (items.size() < kChunk && (items.empty() || source.ready()) &&
             (more = source.next(item))) {
        examples.push_back(example(item));
        items.push_back(std::move(item));
        item = {};
      }
    } catch (const Error&) {
      wrong = std::current_exception();
    }
    const auto predictions = predict_all(model, examples, workers, flags.top);
    for (std::size_t i = 0; i < items.size(); ++i) print(items[i], predictions[i]);
    flush_output();
    if (wrong) std::rethrow_exception(wrong);
  }
}

void predict(PredictFlags& flags) {
  const LoadedModel loaded = load_model(flags.folder);
  const Model& model = *loaded.model;
  const OutputOptions& output = model.config().output;
  const TextExamples prepare = loaded.examples();
  flags.read.known = model.config().columns;
  if (output.kind == OutputKind::kTags && flags.top > 1 && !flags.json) {
    throw UsageError(fmt::format(
        "--top {}: a column has room for one tag of each word; --json shows more", flags.top));
  }
  if (flags.files.empty()) flags.files = {"-"};
  for (const std::string& file : flags.files) {
    const bool typed = file == "-" && isatty(STDIN_FILENO) != 0;
    if (output.kind == OutputKind::kLabel) {
      TextReadOptions read = flags.read;
      if (file == "-" && read.format.empty()) read.format = "lines";
      const auto source = opened(flags.folder, output.kind, [&] { return open_text(file, read); });
      stream<LabelledText>(
          model, flags, *source,
          [&](const LabelledText& text) { return prepare.labelled(text.text, ""); },
          [&](const LabelledText& text, const Prediction& prediction) {
            print_label(text, prediction, output.names, flags.json);
          });
    } else {
      TextReadOptions read = flags.read;
      if (file == "-" && read.format.empty() && typed) read.format = "lines";
      if (flags.json) read.known = {};  // nothing is written into columns
      const auto source =
          opened(flags.folder, output.kind, [&] { return open_tagged(file, read); });
      stream<TaggedSentence>(
          model, flags, *source,
          [&](const TaggedSentence& sentence) { return prepare.tagged(sentence.words, {}); },
          [&](const TaggedSentence& sentence, const Prediction& prediction) {
            print_tags(sentence, prediction, output.names, flags.json);
          });
    }
  }
}

}  // namespace

void add_predict(CLI::App& app) {
  auto flags = std::make_shared<PredictFlags>();
  CLI::App* predict_app = app.add_subcommand("predict", "Let a model answer for new text");
  predict_app->add_option("MODEL", flags->folder, "The model's folder")->required();
  predict_app->add_option("FILE", flags->files, "Files to read, - being standard input")
      ->default_str("-");
  add_read_flags(*predict_app, flags->read, Labels::kOptional);
  predict_app->add_option("--top", flags->top, "How many answers for each, the most likely first")
      ->check(whole_number(between(1, 100000)))
      ->capture_default_str();
  predict_app->add_flag("--json", flags->json, "For programs: one JSON object for each answer");
  predict_app->add_option("--workers", flags->workers, "Threads")
      ->check(whole_number(between(1, 1024)))
      ->default_str("one for each core");
  predict_app->footer(
      "A line of standard input is a text. Answers come in the order of the texts: the\n"
      "label and how likely it is, with a tab between; before them the name of the file\n"
      "where a folder was read. Tags are written into the column that the model was\n"
      "trained on, or into a new one; everything else stays. From a pipe, answers come\n"
      "as soon as there is nothing more to read at once.\n"
      "\n"
      "Examples:\n"
      "  echo 'a fast text editor' | heed predict debian.heed --top 3\n"
      "  heed predict tagger.heed new.conllu > tagged.conllu");
  predict_app->callback([flags] { predict(*flags); });
}

}  // namespace heed::cli
