#include "heed/data/text/sentence_lines.h"

#include <algorithm>
#include <string>

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

bool looks_like_sentences(LineReader& lines) {
  constexpr std::size_t kFirstLines = 200;
  std::size_t columns = 0, together = 0, longest = 0;
  bool alike = true, divided = false;
  for (std::size_t ahead = 0; ahead < kFirstLines; ++ahead) {
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
