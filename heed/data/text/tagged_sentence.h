#pragma once

#include <string>
#include <vector>

#include "heed/data/text/read_options.h"
#include "heed/tensor/shape.h"

namespace heed {

// The words of a sentence with a tag each, and the lines they were read from.
struct TaggedSentence {
  std::vector<std::string> words;
  std::vector<std::string> tags;  // one for each word; none at all if the file has no tags
  // Everything that stood in the file: comments, ranges ("1-2") and empty nodes ("1.1") of CoNLL-U,
  // and what came between the sentence before and this one (-DOCSTART-).
  std::vector<std::string> lines;
  std::vector<Index> word_lines;  // the line of each word, an index into `lines`
  Index tag_column = 0;           // from 0; behind the last column if the file has no tags
  std::string file;
  Index line = 0;  // of the first word, from 1

  // "ewt.conllu:12"
  std::string place() const { return file + ":" + std::to_string(line); }
};

// Sentences one after another, as a reader finds them. What is wrong with the file is a
// FormatError with its place; after one the source is of no more use.
class TaggedSource {
 public:
  TaggedSource() = default;
  TaggedSource(const TaggedSource&) = delete;
  TaggedSource& operator=(const TaggedSource&) = delete;
  virtual ~TaggedSource() = default;

  // False at the end.
  virtual bool next(TaggedSentence& sentence) = 0;

  // Whether next() can answer without waiting for whoever writes into a pipe or a terminal.
  virtual bool ready() = 0;

  // How many lines were not UTF-8 and had to be repaired.
  virtual Index repaired() const = 0;

  // Which columns are read; empty where there are none.
  virtual KnownColumns columns() const { return {}; }
};

// The sentence as it stood in its file, with an empty line behind it, but with `tags`, one for each
// word, in `column` (from 0); a column just behind the last is added. All else stays to the byte.
std::string with_tags(const TaggedSentence& sentence, Index column,
                      const std::vector<std::string>& tags);

}  // namespace heed
