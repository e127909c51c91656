#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/data/lines.h"
#include "heed/data/read_options.h"
#include "heed/data/record_source.h"

namespace heed {

// One JSON object on each line, keys as columns; which are the text and the label is decided on
// the first line. The text is a string; the label a string, a number or true or false; several
// labels a list of those, or one of them. Other keys may hold anything. Empty lines are passed
// over.
class JsonlSource : public RecordSource {
 public:
  JsonlSource(LineReader lines, ReadOptions options);

  bool next(Record& record) override;
  bool ready() override { return text_is_ready(lines_); }
  Index repaired() const override { return lines_.repaired(); }
  std::vector<std::string> column_names() const override { return keys_; }
  KnownColumns columns() const override;
  std::string rest() const override { return blank_; }

 private:
  LineReader lines_;
  ReadOptions options_;
  bool chosen_ = false;
  std::vector<std::string> keys_;  // of the first object
  std::string text_key_;
  std::optional<std::string> second_key_, label_key_, group_key_, begin_key_, end_key_;
  std::optional<std::string> id_key_;
  std::string line_;
  std::string blank_;  // lines without an object, where rows are kept
};

// The keys of a line that is an object; none of any other line.
std::vector<std::string> keys_of(const std::string& line);

}  // namespace heed
