#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// What a model reads, as it came from outside. A new kind of input adds its type here.
struct Text {
  std::string text;  // UTF-8; may be empty
};
struct Sentence {
  std::vector<std::string> words;  // UTF-8; the text came as words
};
using Content = std::variant<Text, Sentence>;

// What a model answers, by name. `std::monostate` where the answer is not known.
struct Label {
  std::string name;
};
struct Tags {
  std::vector<std::string> names;  // one for each vector of the input
};
using Answer = std::variant<std::monostate, Label, Tags>;

// Where a record came from, for messages: "news.csv:1841", or the file alone where the whole file
// is the record (line 0).
struct Place {
  std::shared_ptr<const std::string> file;  // shared by all records of a file
  Index line = 0;                           // from 1

  std::string text() const;
};

struct ConllLines;

// One example as it came from outside: an input, perhaps its answer, and its place.
struct Record {
  Content content;
  Answer answer;
  std::string group;  // records of one group stay on one side of a split; empty: a group of its own
  Place place;
  // The lines of a CoNLL file, kept only where tags are to be written into them.
  std::shared_ptr<const ConllLines> lines;
};

// The bytes of a record's content, the measure of its size.
Index content_bytes(const Record& record);

// For records that do not come from a file.
Record make_record(Content content, Answer answer = {}, std::string group = {});

}  // namespace heed
