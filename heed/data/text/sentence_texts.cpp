#include "heed/data/text/sentence_texts.h"

#include <algorithm>

#include "heed/data/text/unicode.h"

namespace heed {
namespace {

constexpr std::size_t kMostBytes = std::size_t{16} << 10;  // of a text that is tagged at once

// Where the part that begins at `begin` ends: behind a sentence in its second half, or else behind
// a space, or else between two characters.
std::size_t part_end(std::string_view text, std::size_t begin) {
  if (text.size() - begin <= kMostBytes) return text.size();
  const std::string_view part = text.substr(begin, kMostBytes);
  const auto is_stop = [&](std::size_t i) {
    return (part[i] == '.' || part[i] == '!' || part[i] == '?') && part[i + 1] == ' ';
  };
  for (std::size_t i = part.size() - 2; i > kMostBytes / 2; --i) {
    if (is_stop(i)) return begin + i + 1;
  }
  if (const std::size_t space = part.find_last_of(" \t\n"); space != part.npos && space > 0) {
    return begin + space;
  }
  std::size_t end = begin + kMostBytes;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

}  // namespace

bool SentenceTexts::next(Record& record) {
  if (begin_ == 0) {
    if (!texts_->next(whole_)) return false;
    characters_ = 0;
  }
  auto* text = std::get_if<Text>(&whole_.content);
  if (text == nullptr) {
    record = std::move(whole_);
    return true;
  }
  const std::size_t begin = begin_;
  // One row gets one answer, however long it is.
  const std::size_t end =
      whole_.extras->row == nullptr ? part_end(text->text, begin) : text->text.size();
  const bool last = end == text->text.size();
  std::string part =
      begin == 0 && last ? std::move(text->text) : text->text.substr(begin, end - begin);
  const auto characters = static_cast<Index>(last ? 0 : count_code_points(part));
  Sentence sentence = split_ == Split::kSpaces ? split_at_spaces(std::move(part))
                                               : split_words(std::move(part), knows_);
  sentence.source.edit().skipped = characters_;
  if (last) {
    record = std::move(whole_);
  } else {
    record = {};
    record.place = whole_.place;
    record.extras.edit().id = whole_.extras->id;
    record.extras.edit().continues = true;
  }
  record.content = std::move(sentence);
  begin_ = last ? 0 : end;
  characters_ += characters;
  return true;
}

}  // namespace heed
