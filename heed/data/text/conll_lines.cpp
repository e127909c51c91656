#include "heed/data/text/conll_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

void split_columns(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  if (line.find('\t') != std::string_view::npos) {
    for (;;) {
      const std::size_t end = std::min(line.find('\t'), line.size());
      fields.push_back(line.substr(0, end));
      if (end == line.size()) return;
      line.remove_prefix(end + 1);
    }
  }
  for (std::size_t begin = line.find_first_not_of(' '); begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    fields.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(' ', end);
  }
}

std::string with_tags(const ConllLines& sentence, const std::vector<std::string>& tags,
                      const std::string& place) {
  if (tags.size() != sentence.word_lines.size()) {
    fail<ShapeError>("with_tags", "{}: expected a tag for each of {} words, got {}", place,
                     sentence.word_lines.size(), tags.size());
  }
  const Index column = sentence.tag_column;
  std::string text;
  std::vector<std::string_view> fields;
  std::size_t word = 0;
  for (std::size_t i = 0; i < sentence.lines.size(); ++i) {
    const std::string& whole = sentence.lines[i];
    if (word == tags.size() || sentence.word_lines[word] != static_cast<Index>(i)) {
      text += whole;
      continue;
    }
    std::string_view line = whole;  // without its end, which the last one may have only half of
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    split_columns(line, fields);
    if (column < 0 || column > std::ssize(fields)) {
      fail<ShapeError>("with_tags", "{}: expected a column up to {}, got {}", place, fields.size(),
                       column);
    }
    if (column == std::ssize(fields)) {
      const bool tab = fields.size() == 1 || line.find('\t') != std::string::npos;
      text += fmt::format("{}{}{}", line, tab ? '\t' : ' ', tags[word]);
    } else {
      const std::string_view old = fields[static_cast<std::size_t>(column)];
      const auto begin = static_cast<std::size_t>(old.data() - line.data());
      text +=
          fmt::format("{}{}{}", line.substr(0, begin), tags[word], line.substr(begin + old.size()));
    }
    text += whole.substr(line.size());
    ++word;
  }
  return text;
}

}  // namespace heed
