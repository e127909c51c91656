#pragma once

#include <cstddef>
#include <string_view>

namespace heed {

// One character of UTF-8.
struct Utf8Character {
  char32_t code = 0xFFFD;  // U+FFFD where the bytes are broken
  std::size_t bytes = 1;   // how many of them it takes
  bool valid = false;
};

// The first character of a text that is not empty. Overlong forms, surrogates and cut characters
// are broken, and a broken byte stands alone.
inline Utf8Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, bytes, true};
}

}  // namespace heed
