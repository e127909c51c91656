#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "heed/tensor/shape.h"

namespace heed {

// What the records of a file hold.
enum class ContentKind { kUnknown, kText, kAudio, kImage };

// What the answers of a file are.
enum class AnswerKind {
  kLabel,
  kLabels,  // any number of them
  kTags,
  kSequence,
  kItself,  // the text, which a language model predicts token by token
};

// Whether every record must come with its answer: yes to train and evaluate, no to predict.
enum class Answers { kRequired, kOptional };

// The columns of the files that a model was trained on, as their reader found them.
struct KnownColumns {
  std::string text = {}, label = {};  // csv, tsv, jsonl: by name
  std::string second = {};            // the same, of the other text of a pair
  std::string separator = {};         // what stands between several labels in a field
  std::string tag = {};               // conllu: by name; conll: by number, from 1
  Index count = 0;                    // conll: how many there were
};

// How to read a file. What is left empty is found out from the file.
struct ReadOptions {
  ContentKind content = ContentKind::kUnknown;  // unknown: found out
  AnswerKind answer = AnswerKind::kLabel;
  Answers answers = Answers::kRequired;
  std::string format = {};           // csv, tsv, jsonl, fasttext, folder, lines; conllu, conll
  std::string text_column = {};      // csv, tsv, jsonl: by name; conllu, conll: see tag_column
  std::string second_column = {};    // csv, tsv, jsonl: of the other text of a pair
  std::string label_column = {};     // csv, tsv, jsonl: by name; of sequences that of the target
  std::string group_column = {};     // csv, tsv, jsonl: by name; see Record::group
  std::string tag_column = {};       // conllu: by name (upos, xpos, …); both: by number, from 1
  std::string delimiter = {};        // csv, tsv: comma, tab, semicolon, pipe, or the mark itself
  std::string label_separator = {};  // csv, tsv: between several labels in a field; found out
  bool skip_bad = false;  // files that cannot be read are left out, and told of: read_records()
  // Sound on standard input: samples in a second where it is raw (16 bits, little-endian, one
  // channel), 0: it is a WAV file; and the seconds of each part that is a record, 0: all of it.
  double raw_rate = 0.0, window = 0.0;
  // Of the model that the file is read for: where the file has them and nothing else is said, they
  // are its columns too. Tags are never written into a column that is not one of them.
  KnownColumns known = {};
  // Answers will be written into what was read: rows and lines are kept to the byte.
  bool keep = false;
  // Whether the model knows a word; texts are then split into words as its training data was.
  std::function<bool(std::string_view)> knows = {};
};

}  // namespace heed
