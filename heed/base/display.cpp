#include "heed/base/display.h"

#include <array>

#include "heed/base/utf8.h"

namespace heed {
namespace {

struct Range {
  char32_t first, last;
};

// Blocks, not single characters: enough to keep tables straight for the labels people use.
constexpr std::array kWide = std::to_array<Range>({{0x1100, 0x115F},
                                                   {0x2E80, 0x303E},
                                                   {0x3041, 0xA4CF},
                                                   {0xA960, 0xA97F},
                                                   {0xAC00, 0xD7A3},
                                                   {0xF900, 0xFAFF},
                                                   {0xFE30, 0xFE6F},
                                                   {0xFF00, 0xFF60},
                                                   {0xFFE0, 0xFFE6},
                                                   {0x1F300, 0x1F64F},
                                                   {0x1F680, 0x1F6FF},
                                                   {0x1F900, 0x1F9FF},
                                                   {0x20000, 0x3FFFD}});
constexpr std::array kWithoutWidth = std::to_array<Range>({{0x0300, 0x036F},
                                                           {0x0483, 0x0489},
                                                           {0x0591, 0x05BD},
                                                           {0x0610, 0x061A},
                                                           {0x064B, 0x065F},
                                                           {0x1AB0, 0x1AFF},
                                                           {0x1DC0, 0x1DFF},
                                                           {0x200B, 0x200D},
                                                           {0x20D0, 0x20FF},
                                                           {0xFE00, 0xFE0F},
                                                           {0xFE20, 0xFE2F}});

template <typename Ranges>
bool within(char32_t code, const Ranges& ranges) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

// C0, C1, and what turns the direction of the text around it.
bool unprintable(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::size_t width_of(char32_t code) {
  if (code < 0x300) return 1;
  if (within(code, kWithoutWidth)) return 0;
  return within(code, kWide) ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    if (character.valid && !unprintable(character.code)) {
      shown.append(text.substr(0, character.bytes));
    } else {
      shown += "�";
    }
    text.remove_prefix(character.bytes);
  }
  return shown;
}

std::size_t columns(std::string_view text) {
  std::size_t total = 0;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    total += unprintable(character.code) ? 1 : width_of(character.code);
    text.remove_prefix(character.bytes);
  }
  return total;
}

std::string shorten(std::string_view text, std::size_t limit) {
  std::string shown = printable(text);
  if (columns(shown) <= limit) return shown;
  if (limit == 0) return "";
  std::size_t used = 0, bytes = 0;
  while (bytes < shown.size()) {
    const Utf8Character character = first_character(std::string_view(shown).substr(bytes));
    used += width_of(character.code);
    if (used > limit - 1) break;
    bytes += character.bytes;
  }
  return shown.substr(0, bytes) + "…";
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return printable(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(used < width ? width - used : 0, ' ') + printable(text);
}

std::string with_commas(long long number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t place = digits.size(); place > sign + 3;) {
    place -= 3;
    digits.insert(place, 1, ',');
  }
  return digits;
}

}  // namespace heed
