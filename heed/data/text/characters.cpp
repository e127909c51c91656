#include "heed/data/text/characters.h"

#include <utility>

#include "heed/base/error.h"
#include "heed/data/text/unicode.h"

namespace heed {
namespace {

constexpr const char* kFile = "/characters.txt";

// The bytes of the first character, taken off `text`.
std::string_view take_character(std::string_view& text) {
  const std::string_view before = text;
  next_code_point(text);
  return before.substr(0, before.size() - text.size());
}

}  // namespace

CharacterVocabulary CharacterVocabulary::train(std::span<const std::string> words, Index size,
                                               Index min_count) {
  WordCounts counts;
  std::string prepared;
  for (const std::string& word : words) {
    prepare(word, UnicodeForm::kNfc, false, prepared);
    for (std::string_view rest = prepared; !rest.empty();) counts.add(take_character(rest));
  }
  return CharacterVocabulary(Vocabulary(counts, size, min_count));
}

void CharacterVocabulary::encode(std::string_view word, Index longest,
                                 std::vector<std::int32_t>& ids) const {
  if (longest < 1) fail<UsageError>("characters", "longest word {}, expected at least 1", longest);
  std::string prepared;
  prepare(word, UnicodeForm::kNfc, false, prepared);
  const std::size_t begin = ids.size();
  for (std::string_view rest = prepared; !rest.empty();) {
    ids.push_back(characters_.find(take_character(rest)));
  }
  if (ids.size() == begin) ids.push_back(Vocabulary::kUnknown);
  const auto length = static_cast<Index>(ids.size() - begin);
  if (length > longest) {
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(begin) + (longest + 1) / 2;
    ids.erase(first, first + (length - longest));
  }
}

void CharacterVocabulary::save(const std::string& folder) const {
  characters_.save(folder + kFile);
}

CharacterVocabulary CharacterVocabulary::load(const std::string& folder) {
  return CharacterVocabulary(Vocabulary::load(folder + kFile));
}

}  // namespace heed
