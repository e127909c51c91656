#pragma once

#include <deque>
#include <memory>
#include <string>

#include "heed/data/record_source.h"

namespace heed {

// A table (CSV, TSV or JSONL) with a column `path` of files, relative to the folder of the table,
// and one of labels: the files are recordings or pictures. Of a recording two more columns, `start`
// and `end`, may choose a part.
class ManifestSource : public RecordSource {
 public:
  // `rows` gives the names of the files as texts, or as recordings.
  ManifestSource(std::unique_ptr<RecordSource> rows, const std::string& path, ContentKind kind,
                 const ReadOptions& options);

  // A file that is not there is a FormatError, unless bad files are skipped.
  bool next(Record& record) override;
  std::vector<std::string> column_names() const override { return rows_->column_names(); }
  KnownColumns columns() const override { return rows_->columns(); }
  const KeptRow* head() const override { return rows_->head(); }
  std::string rest() const override { return rows_->rest(); }

 private:
  std::unique_ptr<RecordSource> rows_;
  std::string folder_;
  ContentKind kind_;
  bool skip_bad_;
};

// The same table, where each row is a span of time in a recording and its label: all rows of a file
// are one record, with Spans as its answer. Records come in the order in which their files do
// first. A row without an end that is after its start is a FormatError.
class SpanManifest : public RecordSource {
 public:
  explicit SpanManifest(RecordSource& rows);

  bool next(Record& record) override;
  KnownColumns columns() const override { return columns_; }

 private:
  std::deque<Record> records_;
  KnownColumns columns_;
};

// What the files are that a table names; text where it is no such table.
ContentKind content_of_manifest(const std::string& path, const ReadOptions& options);

}  // namespace heed
