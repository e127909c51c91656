#pragma once

#include <string>
#include <vector>

namespace heed {

// A folder for each class with a file for each example, `news/sport/0001.txt`: the name of the
// folder is the label. The order is that of the names, byte by byte, classes first.
//
// Hidden files are passed over, and so are files beside the class folders (a README). A folder
// inside a class folder, a class folder without a file and a folder without a class are
// FormatErrors.
class ClassFiles {
 public:
  explicit ClassFiles(const std::string& path);

  // False at the end.
  bool next(std::string& file, std::string& label);

 private:
  void open_class();

  std::string path_;
  std::vector<std::string> classes_;  // names of folders
  std::vector<std::string> files_;    // names of files in the class at hand
  std::size_t class_ = 0, file_ = 0;
};

// Names of what is in a folder, sorted, without the hidden ones.
std::vector<std::string> names_in(const std::string& folder);

// All files below a folder, those in folders of it too, in the order of their paths; hidden ones
// are passed over.
std::vector<std::string> files_below(std::string folder);

}  // namespace heed
