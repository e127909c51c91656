#pragma once

#include <utility>

#include "heed/data/lines.h"
#include "heed/data/record_source.h"
#include "heed/data/text/kept_line.h"

namespace heed {

// One text on each line and no label. Empty lines are texts too, so that what comes out can be
// laid beside what went in. For a model of pairs, a tab stands between the two texts of a line.
class PlainTextSource : public RecordSource {
 public:
  PlainTextSource(LineReader lines, const ReadOptions& options)
      : lines_(std::move(lines)), keeps_(options.keep), pairs_(!options.known.second.empty()) {}

  bool next(Record& record) override {
    Text text;
    if (!lines_.next(text.text)) return false;
    if (const std::size_t tab = text.text.find('\t'); pairs_ && tab != std::string::npos) {
      text.second = text.text.substr(tab + 1);
      text.text.resize(tab);
    }
    record = make_record(std::move(text));
    record.place = lines_.place();
    std::string nothing;
    if (keeps_) record.extras.edit().row = kept_line(lines_, KeptRow::Form::kLine, nothing);
    return true;
  }
  bool ready() override { return lines_.ready(); }
  Index repaired() const override { return lines_.repaired(); }

 private:
  LineReader lines_;
  bool keeps_;  // lines
  bool pairs_;
};

}  // namespace heed
