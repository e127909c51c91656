#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/data/text/vocabulary.h"

namespace heed {

// The characters of words, for an encoder that reads each word letter by letter (names, endings,
// words never seen). Case is kept, since it tells; text is NFC. Immutable: safe to share.
class CharacterVocabulary {
 public:
  CharacterVocabulary() = default;

  // The characters of `words` that were seen at least `min_count` times, at most `size` with the
  // unknown one.
  static CharacterVocabulary train(std::span<const std::string> words, Index size = 1000,
                                   Index min_count = 1);

  Index size() const { return characters_.size(); }
  const Vocabulary& characters() const { return characters_; }

  // Appends the characters of one word: at least one (the unknown, for an empty word) and at most
  // `longest`. A longer word keeps its beginning and its end, where prefixes and suffixes are.
  void encode(std::string_view word, Index longest, std::vector<std::int32_t>& ids) const;

  // As characters.txt in a model folder, written like a Vocabulary.
  void save(const std::string& folder) const;
  static CharacterVocabulary load(const std::string& folder);

 private:
  explicit CharacterVocabulary(Vocabulary characters) : characters_(std::move(characters)) {}

  Vocabulary characters_;
};

}  // namespace heed
