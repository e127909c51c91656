#pragma once

#include <string>
#include <utility>

#include "heed/data/lines.h"
#include "heed/data/record_source.h"

namespace heed {

// A sentence on each line, its words between spaces, without tags: what there is to predict. In
// ConllLines each word has a line of its own, so that with_tags writes the usual two columns. An
// empty line is a sentence without words, so that what comes out can be laid beside what went in.
class SentenceLinesSource : public RecordSource {
 public:
  explicit SentenceLinesSource(LineReader lines) : lines_(std::move(lines)) {}

  bool next(Record& record) override;
  bool ready() override { return lines_.ready(); }
  Index repaired() const override { return lines_.repaired(); }

 private:
  LineReader lines_;
  std::string line_;
};

// Whether what comes is sentences like these, and not words in columns: no tabs, more than one word
// on a line, and not the same number on all lines with empty ones between them.
bool looks_like_sentences(LineReader& lines);

}  // namespace heed
