#pragma once

#include <utility>

#include "heed/data/lines.h"
#include "heed/data/record_source.h"
#include "heed/data/text/kept_line.h"

namespace heed {

// One text on each line and no label. Empty lines are texts too, so that what comes out can be
// laid beside what went in.
class PlainTextSource : public RecordSource {
 public:
  PlainTextSource(LineReader lines, const ReadOptions& options)
      : lines_(std::move(lines)), keeps_(options.keep) {}

  bool next(Record& record) override {
    Text text;
    if (!lines_.next(text.text)) return false;
    record = make_record(std::move(text));
    record.place = lines_.place();
    std::string nothing;
    if (keeps_) record.row = kept_line(lines_, KeptRow::Form::kLine, nothing);
    return true;
  }
  bool ready() override { return lines_.ready(); }
  Index repaired() const override { return lines_.repaired(); }

 private:
  LineReader lines_;
  bool keeps_;  // lines
};

}  // namespace heed
