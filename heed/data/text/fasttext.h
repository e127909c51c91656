#pragma once

#include <string>

#include "heed/data/lines.h"
#include "heed/data/read_options.h"
#include "heed/data/record_source.h"

namespace heed {

// fastText's lines, `__label__spam buy now`. Where one label is asked for, a second one is a
// FormatError, and so is none where labels are required. Where several are, every word with the
// prefix is one, wherever it stands. Empty lines are passed over.
class FasttextSource : public RecordSource {
 public:
  static constexpr std::string_view kPrefix = "__label__";

  FasttextSource(LineReader lines, const ReadOptions& options);

  bool next(Record& record) override;
  bool ready() override { return text_is_ready(lines_); }
  Index repaired() const override { return lines_.repaired(); }
  std::string rest() const override { return blank_; }

 private:
  std::string_view take_label(std::string_view& text) const;

  LineReader lines_;
  bool required_;  // a label on every line
  bool several_;   // any number of them
  bool keeps_;     // lines
  std::string line_;
  std::string blank_;  // empty lines, where lines are kept
};

}  // namespace heed
