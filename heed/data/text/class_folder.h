#pragma once

#include <string>
#include <vector>

#include "heed/data/record_source.h"

namespace heed {

// A folder for each class with a file for each example, `news/sport/0001.txt`: the name of the
// folder is the label and the whole file (which may be a .gz) the text, with CRLF made LF. The
// order is that of the names, byte by byte, classes first.
//
// Hidden files are passed over, and so are files beside the class folders (a README). A folder
// inside a class folder, a class folder without a file and a folder without a class are
// FormatErrors.
class ClassFolderSource : public RecordSource {
 public:
  static constexpr std::size_t kMaxText = std::size_t{64} << 20;

  explicit ClassFolderSource(const std::string& path);

  bool next(Record& record) override;
  Index repaired() const override { return repaired_; }

 private:
  void open_class();

  std::string path_;
  std::vector<std::string> classes_;  // names of folders
  std::vector<std::string> files_;    // names of files in the class at hand
  std::size_t class_ = 0, file_ = 0;
  Index repaired_ = 0;
};

}  // namespace heed
