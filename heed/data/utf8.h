#pragma once

#include <string>
#include <string_view>

namespace heed {

// Whether every byte belongs to a well-formed UTF-8 sequence (Unicode, table 3-7): no overlong
// forms, no surrogates, nothing beyond U+10FFFF. Plain ASCII and the empty text are valid.
bool valid_utf8(std::string_view text);

// Makes valid UTF-8 of any bytes and tells whether they had to be changed. Text with more bytes
// that do not fit than characters that do is taken for Latin-1, with Windows-1252 in 0x80–0x9F;
// otherwise it is UTF-8 with damage, and each damaged place becomes U+FFFD.
bool repair_utf8(std::string& text);

// The first characters of a text for a message, at most `limit` bytes, with "…" where it was cut.
// Expects valid UTF-8.
std::string shortened(std::string_view text, std::size_t limit = 40);

}  // namespace heed
