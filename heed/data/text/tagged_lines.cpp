#include "heed/data/text/tagged_lines.h"

#include <algorithm>

namespace heed {

bool TaggedLinesSource::next(TaggedSentence& sentence) {
  do {
    if (!lines_.next(line_)) return false;
  } while (is_blank(line_));
  sentence = {};
  sentence.tag_column = 1;
  sentence.file = lines_.path();
  sentence.line = lines_.line();
  for (std::size_t begin = line_.find_first_not_of(" \t"); begin < line_.size();) {
    const std::size_t end = std::min(line_.find_first_of(" \t", begin), line_.size());
    sentence.word_lines.push_back(std::ssize(sentence.words));
    sentence.words.push_back(line_.substr(begin, end - begin));
    begin = line_.find_first_not_of(" \t", end);
  }
  sentence.lines = sentence.words;
  return true;
}

}  // namespace heed
