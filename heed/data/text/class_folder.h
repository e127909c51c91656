#pragma once

#include <string>

#include "heed/data/class_files.h"
#include "heed/data/record_source.h"

namespace heed {

// A folder for each class (ClassFiles): the whole file, which may be a .gz, is the text, with CRLF
// made LF.
class ClassFolderSource : public RecordSource {
 public:
  static constexpr std::size_t kMaxText = std::size_t{64} << 20;

  explicit ClassFolderSource(const std::string& path) : files_(path) {}

  bool next(Record& record) override;
  Index repaired() const override { return repaired_; }

 private:
  ClassFiles files_;
  Index repaired_ = 0;
};

// All files below a folder as texts without answers, to predict: in folders for each class or not.
class TextFilesSource : public RecordSource {
 public:
  explicit TextFilesSource(const std::string& path);

  bool next(Record& record) override;
  Index repaired() const override { return repaired_; }

 private:
  std::vector<std::string> files_;
  std::size_t next_ = 0;
  Index repaired_ = 0;
};

}  // namespace heed
