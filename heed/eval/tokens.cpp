#include "heed/eval/tokens.h"

#include <algorithm>
#include <array>
#include <utility>

#include "heed/base/utf8.h"
#include "heed/data/text/unicode.h"

namespace heed {
namespace {

// What Python calls white space, by which sacreBLEU splits.
bool is_space(char32_t code) {
  return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 ||
         code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

// Calls take(code, bytes) with each character.
template <typename Take>
void each_character(std::string_view text, Take&& take) {
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    take(character.code, text.substr(0, character.bytes));
    text.remove_prefix(character.bytes);
  }
}

// Han and CJK marks as sacreBLEU's tokenizer zh has them. Two of its ranges, meant for characters
// beyond U+FFFF, are written with four digits there and so are U+2001–2A6D and U+2F81–2FA1; scores
// agree only where those are kept.
constexpr std::array<std::pair<char32_t, char32_t>, 21> kChinese = {
    {{0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9},
     {0x2001, 0x2A6D}, {0x2F81, 0x2FA1}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF}, {0x3000, 0x303F},
     {0x31C0, 0x31EF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3100, 0x312F}, {0x31A0, 0x31BF},
     {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0x2600, 0x26FF}, {0x2700, 0x27BF}, {0x3200, 0x32FF},
     {0x3300, 0x33FF}}};

bool is_chinese(char32_t code) {
  return std::any_of(kChinese.begin(), kChinese.end(), [&](const auto& range) {
    return code >= range.first && code <= range.second;
  });
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_stop(char c) { return c == '.' || c == ','; }
// Marks that always stand alone: all of ASCII's but ' , - . and those of words.
bool is_mark(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
         (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

// Replaces every place where first(text[i]) and second(text[i + 1]); what was replaced is not
// looked at again, as with a regular expression.
template <typename First, typename Second, typename Write>
std::string replace_pairs(const std::string& text, First first, Second second, Write write) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (i + 1 < text.size() && first(text[i]) && second(text[i + 1])) {
      write(result, text[i], text[i + 1]);
      i += 2;
    } else {
      result += text[i++];
    }
  }
  return result;
}

// The part that 13a and zh share, one substitution after another.
std::vector<std::string> western(const std::string& text) {
  std::string marked;
  for (const char c : text) marked += is_mark(c) ? std::string{' ', c, ' '} : std::string{c};
  const auto not_digit = [](char c) { return !is_digit(c); };
  // A full stop or comma, unless a digit is before it.
  marked = replace_pairs(marked, not_digit, is_stop, [](std::string& to, char before, char stop) {
    to += {before, ' ', stop, ' '};
  });
  // The same, unless a digit follows.
  marked = replace_pairs(marked, is_stop, not_digit, [](std::string& to, char stop, char after) {
    to += {' ', stop, ' ', after};
  });
  // A dash behind a digit.
  marked = replace_pairs(
      marked, is_digit, [](char c) { return c == '-'; },
      [](std::string& to, char digit, char dash) {
        to += {digit, ' ', dash, ' '};
      });
  return split_spaces(marked);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string without_end_spaces(std::string_view text) {
  std::size_t end = 0, at = 0;
  each_character(text, [&](char32_t code, std::string_view bytes) {
    at += bytes.size();
    if (!is_space(code)) end = at;
  });
  return std::string(text.substr(0, end));
}

std::string_view without_first_spaces(std::string_view text) {
  while (!text.empty() && is_space(first_character(text).code)) {
    text.remove_prefix(first_character(text).bytes);
  }
  return text;
}

}  // namespace

std::string_view name_of(ScoreTokens tokens) {
  switch (tokens) {
    case ScoreTokens::kChinese:
      return "zh";
    case ScoreTokens::kCharacters:
      return "char";
    default:
      return "13a";
  }
}

std::vector<std::string> split_spaces(std::string_view text) {
  std::vector<std::string> parts;
  bool open = false;
  each_character(text, [&](char32_t code, std::string_view bytes) {
    const bool space = is_space(code);
    if (!space && !open) parts.emplace_back();
    if (!space) parts.back() += bytes;
    open = !space;
  });
  return parts;
}

std::vector<std::string> characters_of(std::string_view text, Spaces spaces) {
  std::vector<std::string> characters;
  each_character(text, [&](char32_t code, std::string_view bytes) {
    if (spaces == Spaces::kKept || !is_space(code)) characters.emplace_back(bytes);
  });
  return characters;
}

std::vector<std::string> score_tokens(std::string_view text, ScoreTokens kind) {
  std::string line = without_end_spaces(text);
  if (kind == ScoreTokens::kCharacters) return characters_of(line, Spaces::kDropped);
  if (kind == ScoreTokens::kChinese) {
    std::string spaced;
    each_character(without_first_spaces(line), [&](char32_t code, std::string_view bytes) {
      const bool alone = is_chinese(code);
      if (alone) spaced += ' ';
      spaced += bytes;
      if (alone) spaced += ' ';
    });
    return western(spaced);
  }
  replace_all(line, "<skipped>", "");
  replace_all(line, "-\n", "");
  replace_all(line, "\n", " ");
  replace_all(line, "&quot;", "\"");
  replace_all(line, "&amp;", "&");
  replace_all(line, "&lt;", "<");
  replace_all(line, "&gt;", ">");
  return western(' ' + line + ' ');
}

ScoreTokens tokens_for(const std::vector<std::string>& references) {
  std::size_t letters = 0, ideographs = 0;
  for (const std::string& reference : references) {
    each_character(reference, [&](char32_t code, std::string_view) {
      if (category(code) != Category::kLetter) return;
      ++letters;
      if (is_ideograph(code)) ++ideographs;
    });
  }
  return 3 * ideographs >= letters && ideographs > 0 ? ScoreTokens::kChinese : ScoreTokens::k13a;
}

}  // namespace heed
