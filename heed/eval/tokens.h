#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

// How texts are divided before n-grams are counted, to the letter as sacreBLEU does it, so that
// scores can be compared with published ones.
enum class ScoreTokens {
  k13a,         // mteval-v13a: punctuation apart, numbers whole; for languages with spaces
  kChinese,     // each Han character and CJK mark by itself, the rest as 13a without entities
  kCharacters,  // each character by itself
};

// As it is named in a signature: 13a, zh, char.
std::string_view name_of(ScoreTokens tokens);

// A text as its tokens.
std::vector<std::string> score_tokens(std::string_view text, ScoreTokens kind);

// The parts between white space (what Unicode calls so).
std::vector<std::string> split_spaces(std::string_view text);

// The characters of a text, one string each; with or without white space.
enum class Spaces { kKept, kDropped };
std::vector<std::string> characters_of(std::string_view text, Spaces spaces);

// kChinese where a third or more of the letters are Han, 13a otherwise.
ScoreTokens tokens_for(const std::vector<std::string>& references);

}  // namespace heed
