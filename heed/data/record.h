#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "heed/base/rare.h"
#include "heed/tensor/shape.h"

namespace heed {

// What a model reads, as it came from outside. A new kind of input adds its type here.
struct Text {
  std::string text;  // UTF-8; may be empty
  // The other text where the two are a pair: a premise and a hypothesis, two questions.
  Rare<std::string> second = {};
};
// The text that the words of a sentence were taken from.
struct SentenceSource {
  std::string text;
  std::vector<Index> begins;  // the byte of it where each word begins
  Index skipped = 0;          // characters of the line before `text`, where that is a later part
};
struct Sentence {
  std::vector<std::string> words;    // UTF-8
  Rare<SentenceSource> source = {};  // none where the text came as words
};
// Sound in memory, one channel.
struct Waveform {
  std::vector<float> samples;
  double rate = 16000.0;  // samples in a second
};
// A recording or a part of one: a file, which is read when it is needed, or sound in memory.
struct Recording {
  Rare<std::string> file = {};  // none: `sound`
  std::shared_ptr<const Waveform> sound = {};
  double begin = 0.0, end = 0.0;  // seconds; an end of 0 is the end of the recording
};
// Pixels in memory, the lines from top to bottom, each from left to right, the channels of a pixel
// together.
struct Pixels {
  Index height = 0, width = 0;
  Index channels = 1;  // 1: grey; 3: red, green, blue
  std::vector<std::uint8_t> values;
};
// A picture: a file, which is read when it is needed, or pixels in memory.
struct Picture {
  Rare<std::string> file = {};  // none: `pixels`
  std::shared_ptr<const Pixels> pixels = {};
};
using Content = std::variant<Text, Sentence, Recording, Picture>;

// What a model answers, by name. `std::monostate` where the answer is not known.
struct Label {
  std::string name;
};
// All labels that apply, each once; perhaps none.
struct Labels {
  std::vector<std::string> names;
};
struct Tags {
  std::vector<std::string> names;  // one for each vector of the input
};
// A name for each span of a recording. An input makes tags of them: Input::align. Time that is in
// none of them has the tag kNoSpan.
inline constexpr const char* kNoSpan = "none";
struct Span {
  double begin = 0.0, end = 0.0;  // seconds
  std::string name;
};
struct Spans {
  std::vector<Span> spans;
};
// A name for each pixel of a picture, by its grey value. An input makes tags of them.
struct Mask {
  Rare<Picture> picture;
};
// A text of any length: a translation, a summary, what was said.
struct Sequence {
  std::string text;  // UTF-8
};
using Answer = std::variant<std::monostate, Label, Tags, Spans, Mask, Sequence, Labels>;

// Where a record came from, for messages: "news.csv:1841", or the file alone where the whole file
// is the record (line 0).
struct Place {
  std::shared_ptr<const std::string> file;  // shared by all records of a file
  Index line = 0;                           // from 1

  std::string text() const;
};

struct ConllLines;
struct KeptRow;

// What only some records have.
struct RecordExtras {
  std::string group;  // records of one group stay on one side of a split; empty: a group of its own
  std::string id;     // that its file gives it; empty: none
  // The lines of a CoNLL file, kept only where tags are to be written into them.
  std::shared_ptr<const ConllLines> lines;
  // The row of a table or the line of a text, kept only where answers are to be added to it.
  std::shared_ptr<const KeptRow> row;
  bool continues = false;  // it goes on in the next record: a line too long to be read at once
};

// One example as it came from outside: an input, perhaps its answer, and its place. Millions of
// them are kept in memory, so it is small: a line of text takes 120 bytes beside its characters.
struct Record {
  Content content;
  Answer answer;
  Place place;
  Rare<RecordExtras> extras = {};
};

// The bytes of a record's content, or of its file: the measure of its size.
Index content_bytes(const Record& record);

// For records that do not come from a file.
Record make_record(Content content, Answer answer = {}, std::string group = {});

}  // namespace heed
