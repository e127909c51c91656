#include "heed/data/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace heed {
namespace {

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

// The length of the ASCII that `text` begins with.
std::size_t ascii_prefix(std::string_view text) {
  std::size_t length = 0;
  for (; length + 8 <= text.size(); length += 8) {
    std::uint64_t block;
    std::memcpy(&block, text.data() + length, 8);
    if (block & 0x8080808080808080u) break;
  }
  while (length < text.size() && is_ascii(text[length])) ++length;
  return length;
}

char lower_ascii(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
}

// One character beyond ASCII, as the Unicode standard advises: a broken sequence is replaced up to
// the byte that shows it broken.
char32_t decode(std::string_view& text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0xC2   ? 1
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 1;
  if (length == 1) {
    text.remove_prefix(1);
    return kReplacementCharacter;
  }
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    // The second byte's range shuts out long forms, surrogates and what lies beyond U+10FFFF.
    const unsigned low = i > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = i > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (i >= text.size() || byte(i) < low || byte(i) > high) {
      text.remove_prefix(i);
      return kReplacementCharacter;
    }
    value = value << 6 | (byte(i) & 0x3F);
  }
  text.remove_prefix(length);
  return value;
}

// Whether a normal form may join this code point with the one before: if what it decomposes to
// begins with a mark, or with a vowel or a final consonant of Hangul.
bool joins(char32_t code_point) {
  utf8proc_int32_t parts[18];
  int boundary = 0;
  utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts, 18,
                          static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT),
                          &boundary);
  const auto first = static_cast<char32_t>(parts[0]);
  return category(first) == Category::kMark || (first >= 0x1160 && first <= 0x11FF);
}

// Normalises short pieces of text with memory that it keeps.
class Normalizer {
 public:
  explicit Normalizer(UnicodeForm form)
      : options_(
            static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                           (form == UnicodeForm::kNfkc ? UTF8PROC_COMPAT : 0))) {}

  // `piece` is valid UTF-8.
  void append(std::string_view piece, std::string& out) {
    // A code point becomes 18 at most (U+FDFA), and has at least one byte.
    decomposed_.resize(std::max(decomposed_.size(), piece.size() * 18));
    const auto length =
        utf8proc_decompose(reinterpret_cast<const utf8proc_uint8_t*>(piece.data()),
                           static_cast<utf8proc_ssize_t>(piece.size()), decomposed_.data(),
                           static_cast<utf8proc_ssize_t>(decomposed_.size()), options_);
    assert(length >= 0 && length <= static_cast<utf8proc_ssize_t>(decomposed_.size()));
    const auto composed = utf8proc_normalize_utf32(decomposed_.data(), length, options_);
    for (utf8proc_ssize_t i = 0; i < composed; ++i) {
      append_code_point(static_cast<char32_t>(decomposed_[static_cast<std::size_t>(i)]), out);
    }
  }

 private:
  utf8proc_option_t options_;
  std::vector<utf8proc_int32_t> decomposed_;
};

constexpr char32_t kTableSize = 0x3000;
using StableTable = std::array<bool, kTableSize>;

// The code points that a normal form leaves as they are, whatever stands before them: most of what
// people write. Text of these alone need not be taken apart, which is ten times faster.
StableTable make_stable_table(UnicodeForm form) {
  StableTable table{};
  Normalizer normalizer(form);
  std::string alone, normal;
  for (char32_t c = 0; c < kTableSize; ++c) {
    alone.clear();
    normal.clear();
    append_code_point(c, alone);
    normalizer.append(alone, normal);
    table[c] = alone == normal && !joins(c);
  }
  return table;
}

const StableTable& stable_table(UnicodeForm form) {
  static const StableTable nfc = make_stable_table(UnicodeForm::kNfc);
  static const StableTable nfkc = make_stable_table(UnicodeForm::kNfkc);
  return form == UnicodeForm::kNfc ? nfc : nfkc;
}

bool is_stable(char32_t c, const StableTable& table) {
  return c < kTableSize ? table[c] : c >= 0x4E00 && c <= 0x9FFF;  // Han
}

// An ASCII character is never joined with the one before it, so text falls into pieces: an ASCII
// character and what follows it up to the next. Longer pieces are cut where nothing joins; beyond
// kLongestPiece anywhere, because sorting marks takes quadratic time.
void append_normalized(std::string_view text, UnicodeForm form, std::string& out) {
  constexpr std::size_t kLong = 64, kLongestPiece = 128;
  Normalizer normalizer(form);
  const StableTable& table = stable_table(form);
  std::string piece;
  bool stable = true;
  const auto finish = [&] {
    stable ? static_cast<void>(out.append(piece)) : normalizer.append(piece, out);
    piece.clear();
    stable = true;
  };
  while (!text.empty()) {
    const std::size_t ascii = ascii_prefix(text);
    if (ascii == text.size()) {
      out.append(text);
      return;
    }
    if (ascii > 0) {
      out.append(text.substr(0, ascii - 1));
      piece.push_back(text[ascii - 1]);
      text.remove_prefix(ascii);
    }
    while (!text.empty() && !is_ascii(text.front())) {
      const char32_t code_point = decode(text);
      if (piece.size() >= kLongestPiece || (piece.size() >= kLong && !joins(code_point))) {
        finish();
      }
      append_code_point(code_point, piece);
      stable = stable && is_stable(code_point, table);
    }
    finish();
  }
}

void append_repaired(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t ascii = ascii_prefix(text);
    out.append(text.substr(0, ascii));
    text.remove_prefix(ascii);
    if (!text.empty()) append_code_point(decode(text), out);
  }
}

bool is_letter(char32_t code_point) { return category(code_point) == Category::kLetter; }

void append_lower(std::string_view text, std::string& out) {
  bool after_letter = false;
  while (!text.empty()) {
    if (is_ascii(text.front())) {
      out.push_back(lower_ascii(text.front()));
      after_letter = (out.back() >= 'a' && out.back() <= 'z');
      text.remove_prefix(1);
      continue;
    }
    const char32_t code_point = decode(text);
    if (code_point == 0x130) {
      out.append("i\u0307");
    } else if (code_point == 0x3A3 && after_letter) {
      std::string_view rest = text;
      const bool inside = !rest.empty() && is_letter(next_code_point(rest));
      append_code_point(inside ? 0x3C3 : 0x3C2, out);
    } else {
      append_code_point(
          static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point))), out);
    }
    after_letter =
        is_letter(code_point) || (after_letter && category(code_point) == Category::kMark);
  }
}

Category category_of(utf8proc_int32_t code_point) {
  switch (utf8proc_category(code_point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Category::kLetter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return Category::kMark;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Category::kNumber;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return Category::kPunctuation;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return Category::kSpace;
    case UTF8PROC_CATEGORY_CC:
      return (code_point >= '\t' && code_point <= '\r') || code_point == 0x85 ? Category::kSpace
                                                                              : Category::kControl;
    case UTF8PROC_CATEGORY_CF:
      return Category::kFormat;
    default:
      return Category::kSymbol;
  }
}

}  // namespace

Category category(char32_t code_point) {
  static const std::array<Category, 128> ascii = [] {
    std::array<Category, 128> categories{};
    for (int c = 0; c < 128; ++c) categories[static_cast<std::size_t>(c)] = category_of(c);
    return categories;
  }();
  if (code_point < 128) return ascii[code_point];
  if (code_point > 0x10FFFF) return Category::kSymbol;
  return category_of(static_cast<utf8proc_int32_t>(code_point));
}

bool is_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x323AF) || (c >= 0xF900 && c <= 0xFAFF);
}

char32_t next_code_point(std::string_view& text) {
  if (is_ascii(text.front())) {
    const auto code_point = static_cast<char32_t>(text.front());
    text.remove_prefix(1);
    return code_point;
  }
  return decode(text);
}

void append_code_point(char32_t c, std::string& text) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = kReplacementCharacter;
  if (c < 0x80) {
    text.push_back(static_cast<char>(c));
    return;
  }
  if (c < 0x800) {
    text.push_back(static_cast<char>(0xC0 | c >> 6));
  } else {
    if (c < 0x10000) {
      text.push_back(static_cast<char>(0xE0 | c >> 12));
    } else {
      text.push_back(static_cast<char>(0xF0 | c >> 18));
      text.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3F)));
    }
    text.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3F)));
  }
  text.push_back(static_cast<char>(0x80 | (c & 0x3F)));
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) next_code_point(text);
  return count;
}

std::string normalize(std::string_view text, UnicodeForm form) {
  std::string normal;
  prepare(text, form, false, normal);
  return normal;
}

std::string lower(std::string_view text) {
  std::string lowered;
  append_lower(text, lowered);
  return lowered;
}

void prepare(std::string_view text, UnicodeForm form, bool lowercase, std::string& prepared) {
  prepared.clear();
  if (ascii_prefix(text) == text.size()) {
    prepared.assign(text);
    if (lowercase) std::transform(text.begin(), text.end(), prepared.begin(), lower_ascii);
    return;
  }
  prepared.reserve(text.size() + text.size() / 8);
  const auto append_normal = [&](std::string_view from) {
    form == UnicodeForm::kNone ? append_repaired(from, prepared)
                               : append_normalized(from, form, prepared);
  };
  append_normal(text);
  if (!lowercase) return;
  const std::string lowered = lower(prepared);
  prepared.clear();
  append_normal(lowered);
}

}  // namespace heed
