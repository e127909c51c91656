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

}  // namespace

bool ClassFolderSource::next(Record& record) {
  std::string file;
  Label label;
  if (!files_.next(file, label.name)) return false;
  std::string text = ByteSource::open(file).read_all(kMaxText);
  if (const char* reason = not_text(text, true)) throw FormatError(file + ": " + reason);
  strip_byte_order_mark(text);
  make_line_ends_plain(text);
  if (repair_utf8(text)) ++repaired_;
  record = {.content = Text{std::move(text)},
            .answer = std::move(label),
            .group = {},
            .place = {std::make_shared<const std::string>(file), 0},
            .lines = {}};
  return true;
}

}  // namespace heed
