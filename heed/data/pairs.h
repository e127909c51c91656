#pragma once

#include <memory>
#include <string>
#include <utility>

#include "heed/data/lines.h"
#include "heed/data/record_source.h"

namespace heed {

// Two files, plain or .gz, of which line n of one belongs to line n of the other: a text and what
// is to be written for it. Where both lines are empty there is no record; where one of them is, or
// where one file has more lines, that is a FormatError.
class AlignedLines : public RecordSource {
 public:
  AlignedLines(LineReader sources, LineReader targets)
      : sources_(std::move(sources)), targets_(std::move(targets)) {}

  bool next(Record& record) override;
  Index repaired() const override { return sources_.repaired() + targets_.repaired(); }

 private:
  LineReader sources_, targets_;
};

// A table whose labels are texts to be written.
class TableOfPairs : public RecordSource {
 public:
  explicit TableOfPairs(std::unique_ptr<RecordSource> rows) : rows_(std::move(rows)) {}

  bool next(Record& record) override;
  bool ready() override { return rows_->ready(); }
  Index repaired() const override { return rows_->repaired(); }
  std::vector<std::string> column_names() const override { return rows_->column_names(); }
  KnownColumns columns() const override { return rows_->columns(); }
  const KeptRow* head() const override { return rows_->head(); }
  std::string rest() const override { return rows_->rest(); }

 private:
  std::unique_ptr<RecordSource> rows_;
};

// Whether a path is the first of two aligned files, and not a table.
bool is_in_two_files(const std::string& path, const ReadOptions& options);
// `targets` is empty where none was given, which is a UsageError, as are options about columns.
std::unique_ptr<RecordSource> open_aligned(const std::string& sources, const std::string& targets,
                                           const ReadOptions& options);

}  // namespace heed
