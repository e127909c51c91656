#include "heed/data/file_records.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

Record record_of(ContentKind kind, const std::string& file, Answer answer) {
  Record record = make_record(file_content(kind, file), std::move(answer));
  record.place = {std::make_shared<const std::string>(file), 0};
  return record;
}

}  // namespace

bool FolderRecords::next(Record& record) {
  std::string file;
  Label label;
  do {
    if (!files_.next(file, label.name)) return false;
  } while (content_of_name(file) != kind_);
  record = record_of(kind_, file, std::move(label));
  return true;
}

bool has_files(const std::string& folder, ContentKind kind) {
  const std::vector<std::string> names = names_in(folder);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return content_of_name(name) == kind; });
}

FileRecords::FileRecords(std::string folder, ContentKind kind)
    : folder_(std::move(folder)), kind_(kind), names_(names_in(folder_)) {
  while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  std::erase_if(names_, [&](const std::string& name) { return content_of_name(name) != kind_; });
}

bool FileRecords::next(Record& record) {
  if (next_ == names_.size()) return false;
  record = record_of(kind_, folder_ + "/" + names_[next_++], {});
  return true;
}

bool SingleFile::next(Record& record) {
  if (file_.empty()) return false;
  record = record_of(kind_, std::exchange(file_, {}), {});
  return true;
}

}  // namespace heed
