#include "heed/data/text/words.h"

#include <array>

#include "heed/data/text/unicode.h"

namespace heed {
namespace {

// ASCII letters and digits, which need no look into Unicode.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned char c = '0'; c <= '9'; ++c) plain[c] = true;
  for (unsigned char c = 'A'; c <= 'Z'; ++c) plain[c] = plain[c + ('a' - 'A')] = true;
  return plain;
}();

std::size_t plain_prefix(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && kPlain[static_cast<unsigned char>(text[length])]) ++length;
  return length;
}

struct Character {
  char32_t code_point = ' ';
  Category category = Category::kSpace;
  std::size_t bytes = 0;

  bool is_letter() const { return category == Category::kLetter; }
  bool is_number() const { return category == Category::kNumber; }
  // Belongs to the character before it, whatever that is.
  bool is_attached() const { return category == Category::kMark || category == Category::kFormat; }
};

// The character at the front of `text`; at its end, a space of no bytes.
Character first(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t before = text.size();
  const char32_t code_point = next_code_point(text);
  return {code_point, category(code_point), before - text.size()};
}

bool runs_on(const Character& c) {
  return c.is_number() || (c.is_letter() && !is_ideograph(c.code_point));
}

// Whether `middle` holds two parts of a word together.
bool connects(const Character& left, char32_t middle, const Character& right) {
  if (!runs_on(right)) return false;
  switch (middle) {
    case '_':
      return true;
    case '-':
      return right.is_number();
    case '.':
    case ',':
      return left.is_number() && right.is_number();
    case '\'':
    case U'’':
      return left.is_letter() && right.is_letter();
    default:
      return false;
  }
}

}  // namespace

bool Words::next(std::string_view& word) {
  Character current = first(rest_);
  while (current.bytes > 0 &&
         (current.category == Category::kSpace || current.category == Category::kControl ||
          current.category == Category::kFormat)) {
    rest_.remove_prefix(current.bytes);
    current = first(rest_);
  }
  if (current.bytes == 0) return false;

  const char* const begin = rest_.data();
  const bool running = runs_on(current);
  rest_.remove_prefix(current.bytes);
  for (;;) {
    if (const std::size_t plain = running ? plain_prefix(rest_) : 0; plain > 0) {
      current = first(rest_.substr(plain - 1));
      rest_.remove_prefix(plain);
    }
    const Character following = first(rest_);
    if (following.is_attached()) {
      rest_.remove_prefix(following.bytes);
    } else if (running && runs_on(following)) {
      current = following;
      rest_.remove_prefix(following.bytes);
    } else if (const Character after = running ? first(rest_.substr(following.bytes)) : Character();
               running && connects(current, following.code_point, after)) {
      current = after;
      rest_.remove_prefix(following.bytes + after.bytes);
    } else {
      word = {begin, static_cast<std::size_t>(rest_.data() - begin)};
      return true;
    }
  }
}

}  // namespace heed
