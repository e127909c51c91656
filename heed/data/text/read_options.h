#pragma once

#include <string>

namespace heed {

// Whether every example must come with its answer: yes to train and evaluate, no to predict.
enum class Labels { kRequired, kOptional };

// How to read a file of text. What is left empty is found out from the file.
struct TextReadOptions {
  std::string format = {};        // csv, tsv, jsonl, fasttext, folder, lines; conllu, conll
  std::string text_column = {};   // csv, tsv, jsonl: by name; conllu, conll: see tag_column
  std::string label_column = {};  // csv, tsv, jsonl: by name
  std::string group_column = {};  // csv, tsv, jsonl: by name; examples with the same value there
                                  // belong together
  std::string tag_column = {};    // conllu: by name (upos, xpos, …); both: by number, from 1
  std::string delimiter = {};     // csv, tsv: comma, tab, semicolon, pipe, or the mark itself
  Labels labels = Labels::kRequired;
};

}  // namespace heed
