#include "cli/read_flags.h"

#include "cli/flag_values.h"
#include "heed/model/folder.h"

namespace heed::cli {
namespace {

constexpr const char* kGroup = "Reading";

void add_format(CLI::App& app, ReadOptions& options, const char* formats) {
  app.add_option("--format", options.format, "How to read the files; found out when not given")
      ->type_name(formats)
      ->group(kGroup);
}

void add_delimiter(CLI::App& app, ReadOptions& options) {
  app.add_option("--delimiter", options.delimiter,
                 "What stands between columns: comma, tab, semicolon, pipe, or another mark; "
                 "found out when not given")
      ->type_name("MARK")
      ->group(kGroup);
}

// One column, or the two of a pair.
void add_text_columns(CLI::App& app, ReadOptions& options, const char* flag,
                      const char* description) {
  const auto take = [&options, flag](const std::vector<std::string>& names) {
    if (names.size() > 2) {
      throw UsageError(fmt::format("{} is given {} times; a pair has two", flag, names.size()));
    }
    options.text_column = names.front();
    if (names.size() > 1) options.second_column = names.back();
  };
  app.add_option_function<std::vector<std::string>>(flag, take, description)
      ->expected(1)
      ->take_all()
      ->type_name("NAME")
      ->group(kGroup);
}

void add_columns(CLI::App& app, ReadOptions& options) {
  add_delimiter(app, options);
  add_text_columns(app, options, "--text-column",
                   "The column of the text, by name; two, as A,B or one after the other, are a "
                   "pair of texts");
  app.add_option("--label-column", options.label_column, "The column of the label, by name")
      ->type_name("NAME")
      ->group(kGroup);
}

void add_separator(CLI::App& app, ReadOptions& options) {
  app.add_option("--label-separator", options.label_separator,
                 "What stands between several labels in a column: comma, semicolon, pipe, space, "
                 "another mark, or none; found out when not given")
      ->type_name("MARK")
      ->group(kGroup);
}

void add_tag_column(CLI::App& app, ReadOptions& options) {
  app.add_option("--tag-column", options.tag_column,
                 "The column of the tag: upos, xpos, ... or its number, from 1")
      ->type_name("NAME")
      ->group(kGroup);
}

void add_skip_bad(CLI::App& app, ReadOptions& options) {
  app.add_flag("--skip-bad", options.skip_bad,
               "Leave out recordings and pictures that cannot be read, and list them, in place of "
               "an error")
      ->group(kGroup);
}

}  // namespace

void add_read_flags(CLI::App& app, ReadOptions& options, AnswerKind answer) {
  options.answer = answer;
  if (answer == AnswerKind::kLabel || answer == AnswerKind::kLabels) {
    add_format(app, options, "csv|tsv|jsonl|fasttext|folder");
    add_columns(app, options);
    if (answer == AnswerKind::kLabels) add_separator(app, options);
  } else if (answer == AnswerKind::kSequence) {
    add_format(app, options, "lines|csv|tsv|jsonl");
    add_delimiter(app, options);
    app.add_option("--source-column", options.text_column, "The column of what is read, by name")
        ->type_name("NAME")
        ->group(kGroup);
    app.add_option("--target-column", options.label_column,
                   "The column of what is to be written, by name")
        ->type_name("NAME")
        ->group(kGroup);
  } else if (answer == AnswerKind::kItself) {
    add_format(app, options, "lines|paragraphs|csv|tsv|jsonl");
    add_delimiter(app, options);
    app.add_option("--text-column", options.text_column, "The column of the text, by name")
        ->type_name("NAME")
        ->group(kGroup);
  } else {
    add_format(app, options, "conllu|conll");
    add_tag_column(app, options);
  }
  add_skip_bad(app, options);
}

void add_read_flags(CLI::App& app, ReadOptions& options, Answers answers) {
  options.answers = answers;
  add_format(app, options,
             answers == Answers::kOptional
                 ? "csv|tsv|jsonl|fasttext|folder|lines|words|conllu|conll"
                 : "csv|tsv|jsonl|fasttext|folder|conllu|conll");
  add_columns(app, options);
  add_separator(app, options);
  add_tag_column(app, options);
  add_skip_bad(app, options);
}

void add_sound_flags(CLI::App& app, ReadOptions& options) {
  app.add_option("--raw-rate", options.raw_rate,
                 "Standard input is raw sound with so many samples in a second: 16 bits, "
                 "little-endian, one channel; without it, a WAV file")
      ->type_name("RATE")
      ->check(number(between(100, 1e6)))
      ->group(kGroup);
  app.add_option("--window", options.window,
                 "Answer for each so many seconds of sound on standard input, as it comes")
      ->type_name("SECONDS")
      ->check(number(between(0.1, 3600)))
      ->group(kGroup);
}

void tell_unfinished(const std::string& folder) {
  if (!is_unfinished(folder)) return;
  fmt::print(stderr,
             "{0}: its training was stopped, these are the best weights so far; go on with heed "
             "train --resume {0}\n",
             folder);
}

ReadOptions for_model(ReadOptions options, const Model& model) {
  options.answer = model.config().output->answer_kind();
  options.content = model.config().input->content();
  options.known = model.config().columns;
  options.knows = [&model](std::string_view word) { return model.config().input->knows(word); };
  return options;
}

}  // namespace heed::cli
