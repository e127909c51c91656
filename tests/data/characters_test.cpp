#include "heed/data/text/characters.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed {
namespace {

using Ids = std::vector<std::int32_t>;
using Strings = std::vector<std::string>;

std::string text_of(const CharacterVocabulary& characters, std::string_view word, Index longest) {
  Ids ids;
  characters.encode(word, longest, ids);
  std::string text;
  for (const std::int32_t id : ids) text += id == 0 ? "?" : characters.characters().word(id);
  return text;
}

TEST(CharacterVocabulary, SpellsWordsAndKeepsBothEndsOfLongOnes) {
  const auto characters = CharacterVocabulary::train(Strings{"abcdefgh", "É漢"});
  EXPECT_EQ(text_of(characters, "badE\u0301", 10), "badÉ");
  EXPECT_EQ(text_of(characters, "xA漢", 10), "??漢");
  EXPECT_EQ(text_of(characters, "abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(text_of(characters, "abcdefgh", 5), "abcgh");
  EXPECT_EQ(text_of(characters, "abcdefgh", 1), "a");
  EXPECT_EQ(text_of(characters, "", 5), "?") << "a word has at least one character";
  EXPECT_THROW(text_of(characters, "a", 0), UsageError);
}

TEST(CharacterVocabulary, AppendsWordAfterWord) {
  const auto characters = CharacterVocabulary::train(Strings{"aab"});
  Ids ids;
  characters.encode("ab", 5, ids);
  characters.encode("bbbbbb", 2, ids);
  EXPECT_EQ(ids, (Ids{1, 2, 2, 2}));
}

TEST(CharacterVocabulary, WhatIsSavedIsLoaded) {
  const std::string folder = testing::TempDir() + "heed_characters_test";
  make_folder(folder);
  const auto saved = CharacterVocabulary::train(Strings{"ab c\t\\", "漢a"}, 6, 1);
  EXPECT_EQ(saved.size(), 6);
  saved.save(folder);
  const auto loaded = CharacterVocabulary::load(folder);
  EXPECT_EQ(loaded.size(), saved.size());
  for (const std::string word : {"ab c\t\\", "漢", "z"}) {
    EXPECT_EQ(text_of(loaded, word, 10), text_of(saved, word, 10));
  }
  std::filesystem::remove_all(folder);
  EXPECT_THROW(CharacterVocabulary::load(folder), IoError);
}

}  // namespace
}  // namespace heed
