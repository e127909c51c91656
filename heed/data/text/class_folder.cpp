#include "heed/data/text/class_folder.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/data/byte_source.h"
#include "heed/data/lines.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Names of what is in a folder, sorted, without the hidden ones.
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

void make_line_ends_plain(std::string& text) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[kept++] = text[i];
  }
  text.resize(kept);
}

}  // namespace

ClassFolderSource::ClassFolderSource(const std::string& path) : path_(path) {
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

void ClassFolderSource::open_class() {
  const std::string folder = path_ + "/" + classes_[class_];
  files_ = names_in(folder);
  file_ = 0;
  if (files_.empty()) throw FormatError(folder + ": no files in the folder of this class");
}

bool ClassFolderSource::next(Record& record) {
  if (file_ == files_.size()) {
    if (class_ + 1 == classes_.size()) return false;
    ++class_;
    open_class();
  }
  const std::string folder = path_ + "/" + classes_[class_];
  const std::string file = folder + "/" + files_[file_];
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
  std::string text = ByteSource::open(file).read_all(kMaxText);
  if (const char* reason = not_text(text, true)) throw FormatError(file + ": " + reason);
  strip_byte_order_mark(text);
  make_line_ends_plain(text);
  if (repair_utf8(text)) ++repaired_;
  Label label{classes_[class_]};
  repair_utf8(label.name);
  record = {.content = Text{std::move(text)},
            .answer = std::move(label),
            .group = {},
            .place = {std::make_shared<const std::string>(file), 0},
            .lines = {}};
  return true;
}

}  // namespace heed
