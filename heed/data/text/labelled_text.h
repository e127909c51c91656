#pragma once

#include <string>

#include "heed/data/text/read_options.h"
#include "heed/tensor/shape.h"

namespace heed {

// One text with its class, and where it stands.
struct LabelledText {
  std::string text;   // UTF-8; may be empty
  std::string label;  // UTF-8; empty only where labels are optional
  std::string group;  // what it belongs to; empty unless a column of groups was asked for
  std::string file;
  Index line = 0;  // from 1; 0 if the whole file is the text

  // "news.csv:1841"
  std::string place() const { return line > 0 ? file + ":" + std::to_string(line) : file; }
};

// Texts one after another, as a reader finds them. What is wrong with the file is a FormatError
// with its place; after one the source is of no more use.
class TextSource {
 public:
  TextSource() = default;
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  virtual ~TextSource() = default;

  // False at the end.
  virtual bool next(LabelledText& example) = 0;

  // Whether next() can answer without waiting for whoever writes into a pipe or a terminal.
  virtual bool ready() { return true; }

  // How many lines (files, in a folder for each class) were not UTF-8 and had to be repaired.
  virtual Index repaired() const = 0;

  // Which columns are read, once the first text is; empty where there are none.
  virtual KnownColumns columns() const { return {}; }
};

}  // namespace heed
