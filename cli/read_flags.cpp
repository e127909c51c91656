#include "cli/read_flags.h"

namespace heed::cli {
namespace {

constexpr const char* kGroup = "Reading";

void add_format(CLI::App& app, ReadOptions& options, const char* formats) {
  app.add_option("--format", options.format, "How to read the files; found out when not given")
      ->type_name(formats)
      ->group(kGroup);
}

void add_columns(CLI::App& app, ReadOptions& options) {
  app.add_option("--delimiter", options.delimiter,
                 "What stands between columns: comma, tab, semicolon, pipe, or another mark; "
                 "found out when not given")
      ->type_name("MARK")
      ->group(kGroup);
  app.add_option("--text-column", options.text_column, "The column of the text, by name")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--label-column", options.label_column, "The column of the label, by name")
      ->type_name("NAME")
      ->group(kGroup);
}

void add_tag_column(CLI::App& app, ReadOptions& options) {
  app.add_option("--tag-column", options.tag_column,
                 "The column of the tag: upos, xpos, ... or its number, from 1")
      ->type_name("NAME")
      ->group(kGroup);
}

}  // namespace

void add_read_flags(CLI::App& app, ReadOptions& options, AnswerKind answer) {
  options.answer = answer;
  if (answer == AnswerKind::kLabel) {
    add_format(app, options, "csv|tsv|jsonl|fasttext|folder");
    add_columns(app, options);
  } else {
    add_format(app, options, "conllu|conll");
    add_tag_column(app, options);
  }
}

void add_read_flags(CLI::App& app, ReadOptions& options, Answers answers) {
  options.answers = answers;
  add_format(app, options,
             answers == Answers::kOptional ? "csv|tsv|jsonl|fasttext|folder|lines|conllu|conll"
                                           : "csv|tsv|jsonl|fasttext|folder|conllu|conll");
  add_columns(app, options);
  add_tag_column(app, options);
}

ReadOptions for_model(ReadOptions options, const Model& model) {
  options.answer = model.config().output->answer_kind();
  options.content = model.config().input->content();
  options.known = model.config().columns;
  return options;
}

}  // namespace heed::cli
