#include "heed/data/record.h"

namespace heed {

std::string Place::text() const {
  if (file == nullptr) return "record " + std::to_string(line);
  return line > 0 ? *file + ":" + std::to_string(line) : *file;
}

Index content_bytes(const Record& record) {
  if (const auto* text = std::get_if<Text>(&record.content)) {
    return static_cast<Index>(text->text.size());
  }
  Index bytes = 0;
  for (const std::string& word : std::get<Sentence>(record.content).words) {
    bytes += static_cast<Index>(word.size()) + 1;
  }
  return bytes;
}

Record make_record(Content content, Answer answer, std::string group) {
  Record record;
  record.content = std::move(content);
  record.answer = std::move(answer);
  record.group = std::move(group);
  return record;
}

}  // namespace heed
