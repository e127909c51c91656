#include "heed/data/text/class_folder.h"

#include "heed/base/error.h"
#include "heed/data/byte_source.h"
#include "heed/data/lines.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

void make_line_ends_plain(std::string& text) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[kept++] = text[i];
  }
  text.resize(kept);
}

// A whole file as the text of a record.
Record record_of_text(const std::string& file, Answer answer, Index& repaired) {
  std::string text = ByteSource::open(file).read_all(ClassFolderSource::kMaxText);
  if (const char* reason = not_text(text, true)) throw FormatError(file + ": " + reason);
  strip_byte_order_mark(text);
  make_line_ends_plain(text);
  if (repair_utf8(text)) ++repaired;
  Record record = make_record(Text{std::move(text)}, std::move(answer));
  record.place = {std::make_shared<const std::string>(file), 0};
  return record;
}

}  // namespace

bool ClassFolderSource::next(Record& record) {
  std::string file;
  Label label;
  if (!files_.next(file, label.name)) return false;
  record = record_of_text(file, std::move(label), repaired_);
  return true;
}

TextFilesSource::TextFilesSource(const std::string& path) : files_(files_below(path)) {
  if (files_.empty()) throw FormatError(path + ": no files in it, expected texts");
}

bool TextFilesSource::next(Record& record) {
  if (next_ == files_.size()) return false;
  record = record_of_text(files_[next_++], {}, repaired_);
  return true;
}

}  // namespace heed
