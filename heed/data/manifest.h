#pragma once

#include <memory>
#include <string>

#include "heed/data/record_source.h"

namespace heed {

// A table (CSV, TSV or JSONL) with a column `path` of files, relative to the folder of the table,
// and one of labels: the files are recordings or pictures.
class ManifestSource : public RecordSource {
 public:
  // `rows` gives the names of the files as texts.
  ManifestSource(std::unique_ptr<RecordSource> rows, const std::string& path, ContentKind kind);

  bool next(Record& record) override;
  KnownColumns columns() const override { return rows_->columns(); }

 private:
  std::unique_ptr<RecordSource> rows_;
  std::string folder_;
  ContentKind kind_;
};

// What the files are that a table names; text where it is no such table.
ContentKind content_of_manifest(const std::string& path, const ReadOptions& options);

}  // namespace heed
