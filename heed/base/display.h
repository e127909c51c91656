#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed {

// Text as a terminal shows it: UTF-8, in columns. Chinese, Japanese and Korean characters and emoji
// take two columns, combining marks none. Broken bytes and control characters (a label with a line
// break or an escape sequence in it) show as "�", so that no data can upset a terminal or a table.

// The text with what cannot be shown replaced.
std::string printable(std::string_view text);

// How many columns printable(text) takes.
std::size_t columns(std::string_view text);

// printable(text), and if it takes more columns than `limit`, its beginning and "…".
std::string shorten(std::string_view text, std::size_t limit);

// printable(text) with spaces up to `width` columns, after it or before it.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

// 1234567 → "1,234,567"
std::string with_commas(long long number);

}  // namespace heed
