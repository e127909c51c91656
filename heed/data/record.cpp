#include "heed/data/record.h"

#include <filesystem>

namespace heed {
namespace {

Index file_bytes(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<Index>(bytes);
}

struct Bytes {
  Index operator()(const Text& text) const {
    return std::ssize(text.text) + (text.second ? std::ssize(*text.second) : 0);
  }
  Index operator()(const Sentence& sentence) const {
    Index bytes = 0;
    for (const std::string& word : sentence.words) bytes += std::ssize(word) + 1;
    return bytes;
  }
  Index operator()(const Recording& recording) const {
    if (recording.sound == nullptr) return file_bytes(*recording.file);
    return std::ssize(recording.sound->samples) * static_cast<Index>(sizeof(float));
  }
  Index operator()(const Picture& picture) const {
    return picture.pixels == nullptr ? file_bytes(*picture.file)
                                     : std::ssize(picture.pixels->values);
  }
};

}  // namespace

std::string Place::text() const {
  if (file == nullptr) return "record " + std::to_string(line);
  return line > 0 ? *file + ":" + std::to_string(line) : *file;
}

Index content_bytes(const Record& record) { return std::visit(Bytes(), record.content); }

Record make_record(Content content, Answer answer, std::string group) {
  Record record;
  record.content = std::move(content);
  record.answer = std::move(answer);
  if (!group.empty()) record.extras.edit().group = std::move(group);
  return record;
}

}  // namespace heed
