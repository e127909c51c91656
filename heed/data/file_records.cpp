#include "heed/data/file_records.h"

#include <utility>

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

bool SingleFile::next(Record& record) {
  if (file_.empty()) return false;
  record = record_of(kind_, std::exchange(file_, {}), {});
  return true;
}

}  // namespace heed
