#include "heed/data/class_files.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/data/utf8.h"

namespace heed {

namespace fs = std::filesystem;

ClassFiles::ClassFiles(const std::string& path) : path_(path) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  for (std::string& name : names_in(path_)) {
    std::error_code error;
    if (fs::is_directory(path_ + "/" + name, error)) classes_.push_back(std::move(name));
  }
  if (classes_.empty()) {
    throw FormatError(path_ + ": no folders in it, expected one for each class");
  }
  open_class();
}

void ClassFiles::open_class() {
  const std::string folder = path_ + "/" + classes_[class_];
  files_ = names_in(folder);
  file_ = 0;
  if (files_.empty()) throw FormatError(folder + ": no files in the folder of this class");
}

bool ClassFiles::next(std::string& file, std::string& label) {
  if (file_ == files_.size()) {
    if (class_ + 1 == classes_.size()) return false;
    ++class_;
    open_class();
  }
  const std::string folder = path_ + "/" + classes_[class_];
  file = folder + "/" + files_[file_];
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) {
    throw FormatError(file + ": a folder inside the folder of a class, expected files; is " +
                      folder + " the folder to read?");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw FormatError(file + ": neither a file nor a folder");
  }
  ++file_;
  label = classes_[class_];
  repair_utf8(label);
  return true;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    std::string name = entries->path().filename().string();
    if (!name.starts_with('.')) names.push_back(std::move(name));
  }
  if (error) throw IoError(folder + ": cannot read the folder: " + error.message());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> files_below(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  std::vector<std::string> files;
  for (const std::string& name : names_in(folder)) {
    std::string path = folder + "/" + name;
    std::error_code error;
    if (fs::is_directory(path, error)) {
      if (fs::is_symlink(path, error)) continue;  // it may lead in a circle
      for (std::string& file : files_below(path)) files.push_back(std::move(file));
    } else {
      files.push_back(std::move(path));
    }
  }
  return files;
}

}  // namespace heed
