#pragma once

#include <string>
#include <vector>

#include "heed/data/class_files.h"
#include "heed/data/content.h"
#include "heed/data/record_source.h"

namespace heed {

// A folder for each class, in it recordings or pictures. Files of other kinds are passed over.
class FolderRecords : public RecordSource {
 public:
  FolderRecords(const std::string& path, ContentKind kind) : files_(path), kind_(kind) {}

  bool next(Record& record) override;

 private:
  ClassFiles files_;
  ContentKind kind_;
};

// The recordings or pictures below a folder, without answers, in the order of their paths. A folder
// without any is a FormatError.
class FileRecords : public RecordSource {
 public:
  FileRecords(const std::string& folder, ContentKind kind);

  bool next(Record& record) override;

 private:
  ContentKind kind_;
  std::vector<std::string> files_;
  std::size_t next_ = 0;
};

// One recording or picture, without an answer.
class SingleFile : public RecordSource {
 public:
  SingleFile(std::string file, ContentKind kind) : file_(std::move(file)), kind_(kind) {}

  bool next(Record& record) override;

 private:
  std::string file_;  // empty once it was given
  ContentKind kind_;
};

}  // namespace heed
