#include "heed/data/text/vectors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "heed/base/error.h"
#include "heed/data/lines.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }

void strip_end(std::string_view& text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
}

// Takes the last field off a text, and the spaces before it.
std::string_view take_last(std::string_view& text) {
  std::size_t begin = text.size();
  while (begin > 0 && !is_space(text[begin - 1])) --begin;
  const std::string_view field = text.substr(begin);
  text.remove_suffix(text.size() - begin);
  strip_end(text);
  return field;
}

Index count_fields(std::string_view text) {
  Index fields = 0;
  bool inside = false;
  for (const char c : text) {
    fields += !is_space(c) && !inside;
    inside = !is_space(c);
  }
  return fields;
}

template <typename Number>
bool parse(std::string_view field, Number& number) {
  if (field.starts_with('+')) field.remove_prefix(1);
  const char* const end = field.data() + field.size();
  const auto parsed = std::from_chars(field.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end;
}

// Too small for a float is zero.
bool parse_value(std::string_view field, float& value) {
  if (!parse(field, value)) {
    double wide = 0;
    if (!parse(field, wide) || std::abs(wide) > 1) return false;
    value = static_cast<float>(wide);
  }
  return std::isfinite(value);
}

// What the beginning of a file says.
struct Layout {
  Index width = 0;
  Index words = -1;  // not said
};

// Reads the first line only if it is no vector.
Layout read_layout(LineReader& lines) {
  const std::string* const first = lines.peek();
  if (first == nullptr) {
    throw FormatError(lines.path() + ": empty, expected a word and its vector in each line");
  }
  const Index fields = count_fields(*first);
  if (fields < 2) lines.refuse(1, "{} fields, expected a word and its numbers", fields);
  Layout layout;
  std::string_view rest = *first;
  strip_end(rest);
  Index words = 0, width = 0;
  if (fields == 2 && parse(take_last(rest), width) && parse(rest, words)) {
    if (width < 1 || words < 0) {
      lines.refuse(1, "“{}”, expected the number of words and of numbers for each",
                   shortened(*first));
    }
    std::string header;
    lines.next(header);
    layout = {width, words};
  } else {
    layout.width = fields - 1;
  }
  return layout;
}

}  // namespace

Index vectors_width(const std::string& path) {
  LineReader lines(path);
  return read_layout(lines).width;
}

Index read_vectors(const std::string& path, const Vocabulary& vocabulary, Index width,
                   std::span<float> table) {
  if (static_cast<Index>(table.size()) != vocabulary.size() * width) {
    fail<ShapeError>("vectors", "expected a table of ({}, {}), got {} numbers", vocabulary.size(),
                     width, table.size());
  }
  LineReader lines(path);
  const Layout layout = read_layout(lines);
  if (layout.width != width) {
    lines.refuse(1, "vectors of {} numbers, expected {}", layout.width, width);
  }
  const auto count = static_cast<std::size_t>(width);
  std::vector<bool> seen(static_cast<std::size_t>(vocabulary.size()));
  std::vector<float> values(count);
  Index words = 0, found = 0;
  for (std::string line; lines.next(line); ++words) {
    std::string_view rest = line;
    strip_end(rest);
    for (std::size_t i = count; i > 0; --i) {
      const std::string_view field = take_last(rest);
      if (rest.empty()) {
        lines.refuse(lines.line(), "{} numbers, expected {} after the word",
                     std::max<Index>(count_fields(line) - 1, 0), width);
      }
      if (!parse_value(field, values[i - 1])) {
        lines.refuse(lines.line(), "“{}” is not a number", shortened(field));
      }
    }
    const auto index = static_cast<std::size_t>(vocabulary.find(rest));
    if (index == Vocabulary::kUnknown || seen[index]) continue;
    seen[index] = true;
    ++found;
    std::copy(values.begin(), values.end(), table.begin() + static_cast<Index>(index * count));
  }
  if (layout.words >= 0 && words != layout.words) {
    lines.refuse(1, "{} words were promised, {} are there; the file may be cut short", layout.words,
                 words);
  }
  return found;
}

}  // namespace heed
