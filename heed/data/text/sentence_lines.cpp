#include "heed/data/text/sentence_lines.h"

#include <algorithm>

#include "heed/data/text/conll_lines.h"

namespace heed {
namespace {

std::size_t count_words(std::string_view line) {
  std::size_t count = 0;
  for (std::size_t begin = line.find_first_not_of(' '); begin < line.size(); ++count) {
    begin = line.find_first_not_of(' ', std::min(line.find(' ', begin), line.size()));
  }
  return count;
}

}  // namespace

bool SentenceLinesSource::next(Record& record) {
  if (!lines_.next(line_)) return false;
  Sentence sentence;
  ConllLines lines;
  lines.tag_column = 1;
  for (std::size_t begin = line_.find_first_not_of(" \t"); begin < line_.size();) {
    const std::size_t end = std::min(line_.find_first_of(" \t", begin), line_.size());
    lines.word_lines.push_back(std::ssize(sentence.words));
    sentence.words.push_back(line_.substr(begin, end - begin));
    begin = line_.find_first_not_of(" \t", end);
  }
  lines.lines = sentence.words;
  record = {};
  record.content = std::move(sentence);
  record.place = lines_.place();
  record.lines = std::make_shared<const ConllLines>(std::move(lines));
  return true;
}

bool looks_like_sentences(LineReader& lines) {
  constexpr std::size_t kLookAhead = 200;
  std::size_t columns = 0, together = 0, longest = 0;
  bool alike = true, divided = false;
  for (std::size_t ahead = 0; ahead < kLookAhead; ++ahead) {
    const std::string* line = lines.peek(ahead);
    if (line == nullptr) break;
    if (is_blank(*line)) {
      divided = divided || together > 0;
      together = 0;
      continue;
    }
    if (line->find('\t') != std::string::npos || line->starts_with("-DOCSTART-")) return false;
    const std::size_t words = count_words(*line);
    if (columns == 0) columns = words;
    alike = alike && words == columns;
    longest = std::max(longest, ++together);
  }
  return !alike || (columns > 1 && (longest < 2 || !divided));
}

}  // namespace heed
