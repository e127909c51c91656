#pragma once

#include <utility>

#include "heed/data/lines.h"
#include "heed/data/record_source.h"

namespace heed {

// One text on each line and no label. Empty lines are texts too, so that what comes out can be
// laid beside what went in.
class PlainTextSource : public RecordSource {
 public:
  explicit PlainTextSource(LineReader lines) : lines_(std::move(lines)) {}

  bool next(Record& record) override {
    Text text;
    if (!lines_.next(text.text)) return false;
    record = {.content = std::move(text),
              .answer = {},
              .group = {},
              .place = lines_.place(),
              .lines = {}};
    return true;
  }
  bool ready() override { return lines_.ready(); }
  Index repaired() const override { return lines_.repaired(); }

 private:
  LineReader lines_;
};

}  // namespace heed
