#include "cli/read_flags.h"

namespace heed::cli {

void add_read_flags(CLI::App& app, TextReadOptions& options, OutputKind task) {
  if (task == OutputKind::kLabel) {
    app.add_option("--format", options.format,
                   "csv, tsv, jsonl, fasttext or folder; found out when not given");
    app.add_option("--text-column", options.text_column, "The column of the text, by name");
    app.add_option("--label-column", options.label_column, "The column of the label, by name");
  } else {
    app.add_option("--format", options.format, "conllu or conll; found out when not given");
    app.add_option("--tag-column", options.tag_column, "The column of the tag: upos, xpos, 4, …");
  }
}

void add_read_flags(CLI::App& app, TextReadOptions& options) {
  app.add_option(
      "--format", options.format,
      "csv, tsv, jsonl, fasttext, folder, lines, conllu or conll; found out when not given");
  app.add_option("--text-column", options.text_column, "The column of the text, by name");
  app.add_option("--label-column", options.label_column, "The column of the label, by name");
  app.add_option("--tag-column", options.tag_column, "The column of the tag: upos, xpos, 4, …");
}

}  // namespace heed::cli
