#pragma once

#include <string>
#include <vector>

#include "heed/data/lines.h"
#include "heed/data/read_options.h"
#include "heed/data/record_source.h"
#include "heed/data/text/columns.h"
#include "heed/data/text/kept_row.h"

namespace heed {

// CSV and TSV whose first line names the columns, quoted as RFC 4180 says: a field in double
// quotes may hold delimiters, line ends and doubled quotes. Unless the options say it, the
// delimiter is the one of comma, tab and semicolon that the header has most of. Labels lose the
// spaces around them; empty lines are passed over.
//
// Many TSV files quote nothing and have stray quotes in their texts. So with tabs, a quote that
// does not begin a well-formed field is an ordinary character, and so is one that is not closed
// on its line if this and the next line have the right number of columns as they stand.
//
// Where the options say that the content is audio, the texts are names of recordings, and two more
// columns may say from when to when (TextColumns).
class CsvSource : public RecordSource {
 public:
  CsvSource(LineReader lines, const ReadOptions& options);

  bool next(Record& record) override;
  bool ready() override;
  Index repaired() const override { return lines_.repaired(); }
  std::vector<std::string> column_names() const override { return names_; }
  KnownColumns columns() const override;
  const KeptRow* head() const override { return head_.get(); }
  std::string rest() const override { return row_.before; }

 private:
  bool read_record();
  bool next_line(std::string& line);
  bool read_quoted(std::string& line, std::size_t& place, std::string& field);
  double seconds(Index column, const Place& place) const;
  bool stands_alone(const std::string& line);
  [[noreturn]] void refuse_columns() const;

  LineReader lines_;
  bool required_;          // a label on every line
  bool several_;           // any number of labels on a line
  std::string separator_;  // between those
  bool recordings_;        // the texts are names of recordings
  char delimiter_ = ',';
  std::vector<std::string> names_;
  TextColumns columns_;
  std::vector<std::string> fields_;  // of the record read last
  Index record_line_ = 0;            // where that began
  std::string line_;
  bool keeps_;   // rows
  KeptRow row_;  // the one at hand
  std::shared_ptr<const KeptRow> head_;
};

// What --delimiter may say: comma, tab, semicolon, pipe, or the mark itself. '\0' for "".
char delimiter_from(const std::string& option);

// The one of comma, tab and semicolon that stands most often outside quotes; comma if none does.
char find_delimiter(std::string_view header);

// The end of a message about a header that was read as a single column, if it has a mark that may
// stand between columns: "; if a pipe stands between columns, say --delimiter pipe". Without labels
// to go by, only if there is a text among those columns.
std::string delimiter_advice(std::string_view header, Answers answers);

// The fields of one line, where quotes that do not close are ordinary characters.
std::vector<std::string> split_header(std::string_view header, char delimiter);

}  // namespace heed
