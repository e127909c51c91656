#pragma once

#include <string>
#include <string_view>

namespace heed {

// Unicode for text input: code points, their categories, normal forms, lower case.
//
// Text is UTF-8. Where it is not, each maximal broken part reads as one U+FFFD, so that every
// function here accepts any bytes; what comes out is always valid UTF-8.

// kNfc composes (e + ´ → é). kNfkc also replaces what only looks different: ﬁ → fi, ２ → 2, ² → 2.
enum class UnicodeForm { kNone, kNfc, kNfkc };

enum class Category {
  kLetter,
  kMark,  // joins the character before it: accents, vowel signs, variation selectors
  kNumber,
  kPunctuation,
  kSymbol,  // also what has no category yet, and private use
  kSpace,   // white space and line ends
  kFormat,  // invisible: joiners, soft hyphen, byte order mark
  kControl,
};

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

Category category(char32_t code_point);

// Han: written without spaces, and nearly a word each.
bool is_ideograph(char32_t code_point);

// Takes the first code point off `text`, which must not be empty.
char32_t next_code_point(std::string_view& text);

// What is not a code point is appended as U+FFFD.
void append_code_point(char32_t code_point, std::string& text);

// The number of code points.
std::size_t count_code_points(std::string_view text);

std::string normalize(std::string_view text, UnicodeForm form);

// Lower case as Unicode defines it without a language: one code point for one, except İ → i̇; a Σ
// that ends a word becomes ς. (Case folding would also make ß to ss, which nobody writes.)
std::string lower(std::string_view text);

// Replaces `prepared` by the normal form of `text`, in lower case if so wished. The result is a
// normal form again. Plain ASCII, and the ASCII parts of other text, cost next to nothing.
void prepare(std::string_view text, UnicodeForm form, bool lowercase, std::string& prepared);

}  // namespace heed
