#include "heed/data/file_records.h"

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

FileRecords::FileRecords(const std::string& folder, ContentKind kind)
    : kind_(kind), files_(files_below(folder)) {
  std::erase_if(files_, [&](const std::string& file) { return content_of_name(file) != kind_; });
  if (files_.empty()) throw FormatError(folder + ": there are no " + plural(kind) + " in it");
}

bool FileRecords::next(Record& record) {
  if (next_ == files_.size()) return false;
  record = record_of(kind_, files_[next_++], {});
  return true;
}

bool SingleFile::next(Record& record) {
  if (file_.empty()) return false;
  record = record_of(kind_, std::exchange(file_, {}), {});
  return true;
}

}  // namespace heed
