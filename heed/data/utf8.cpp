#include "heed/data/utf8.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace heed {
namespace {

// Windows-1252 in 0x80–0x9F; five of these bytes mean nothing.
constexpr std::array<char16_t, 32> kWindows1252 = {
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

struct Piece {
  std::size_t length;  // at least 1
  bool valid;
};

// The sequence at `place`, or the longest beginning of one where it is cut short.
Piece piece_at(std::string_view text, std::size_t place) {
  const auto byte = [&](std::size_t i) {
    return place + i < text.size() ? static_cast<std::uint8_t>(text[place + i]) : std::uint8_t{0};
  };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {1, true};
  if (first < 0xC2 || first > 0xF4) return {1, false};
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  const std::uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return {1, false};
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return {i, false};
  }
  return {length, true};
}

// Where the first byte that is not ASCII stands, eight bytes at a time.
std::size_t skip_ascii(std::string_view text, std::size_t place) {
  while (place + 8 <= text.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + place, 8);
    if ((word & 0x8080808080808080u) != 0) break;
    place += 8;
  }
  while (place < text.size() && static_cast<std::uint8_t>(text[place]) < 0x80) ++place;
  return place;
}

void append_character(std::string& text, char16_t character) {
  const auto add = [&](int byte) { text += static_cast<char>(byte); };
  if (character < 0x800) {
    add(0xC0 | character >> 6);
  } else {
    add(0xE0 | character >> 12);
    add(0x80 | (character >> 6 & 0x3F));
  }
  add(0x80 | (character & 0x3F));
}

std::string from_windows_1252(std::string_view text) {
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x80) {
      result += c;
    } else {
      append_character(result, byte < 0xA0 ? kWindows1252[byte - 0x80u] : char16_t{byte});
    }
  }
  return result;
}

std::string with_replacements(std::string_view text) {
  std::string result;
  result.reserve(text.size() + 8);
  for (std::size_t place = 0; place < text.size();) {
    const Piece piece = piece_at(text, place);
    if (piece.valid) {
      result += text.substr(place, piece.length);
    } else {
      append_character(result, 0xFFFD);
    }
    place += piece.length;
  }
  return result;
}

}  // namespace

bool valid_utf8(std::string_view text) {
  for (std::size_t place = skip_ascii(text, 0); place < text.size();
       place = skip_ascii(text, place)) {
    const Piece piece = piece_at(text, place);
    if (!piece.valid) return false;
    place += piece.length;
  }
  return true;
}

bool repair_utf8(std::string& text) {
  if (valid_utf8(text)) return false;
  std::size_t characters = 0, damaged = 0;
  for (std::size_t place = skip_ascii(text, 0); place < text.size();
       place = skip_ascii(text, place)) {
    const Piece piece = piece_at(text, place);
    ++(piece.valid ? characters : damaged);
    place += piece.length;
  }
  text = damaged > characters ? from_windows_1252(text) : with_replacements(text);
  return true;
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit;
  while (end > 0 && (static_cast<std::uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace heed
