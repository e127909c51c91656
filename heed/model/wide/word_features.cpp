#include "heed/model/wide/word_features.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "heed/data/text/unicode.h"

namespace heed {
namespace {

constexpr std::size_t kLongestAffix = 4;  // characters
constexpr std::size_t kLongestShape = 8;  // parts of a word that are written in different ways

// One word of a sentence, as features see it.
struct SeenWord {
  std::string word;                     // in lower case, digits as 0
  std::string shape;                    // "Xx" for Confidence, "0.0" for 12.5, "x-x" for so-called
  std::vector<std::size_t> boundaries;  // of the characters of `word`, its end included

  // Its first or last characters; all of it where it has no more.
  std::string_view prefix(std::size_t count) const {
    return std::string_view(word).substr(0, boundaries[std::min(count, boundaries.size() - 1)]);
  }
  std::string_view suffix(std::size_t count) const {
    const std::size_t last = boundaries.size() - 1;
    return std::string_view(word).substr(boundaries[last - std::min(count, last)]);
  }
};

char shape_of(char32_t code, bool lower) {
  switch (category(code)) {
    case Category::kLetter:
      return lower ? 'x' : 'X';
    case Category::kNumber:
      return '0';
    case Category::kMark:
      return 'x';
    default:
      return code < 0x80 ? static_cast<char>(code) : '.';
  }
}

SeenWord see(const std::string& word) {
  SeenWord seen;
  prepare(word, UnicodeForm::kNfkc, false, seen.word);
  std::string small = lower(seen.word);
  // Where lower case has as many characters, as nearly always, they are compared one by one.
  std::string_view rest = seen.word, low = small;
  std::string made;
  while (!low.empty()) {
    const char32_t code = next_code_point(low);
    const char32_t written = rest.empty() ? code : next_code_point(rest);
    const bool number = category(code) == Category::kNumber;
    seen.boundaries.push_back(made.size());
    append_code_point(number ? U'0' : code, made);
    const char kind = shape_of(written, written == code);
    if (seen.shape.size() < kLongestShape && (seen.shape.empty() || seen.shape.back() != kind)) {
      seen.shape += kind;
    }
  }
  seen.boundaries.push_back(made.size());
  seen.word = std::move(made);
  return seen;
}

// Beyond the ends of a sentence.
const SeenWord& outside() {
  static const SeenWord kOutside{"<>", "<>", {0, 1, 2}};
  return kOutside;
}

}  // namespace

void each_word_feature(std::span<const std::string> words, const TakeFeature& take) {
  std::vector<SeenWord> seen;
  seen.reserve(words.size());
  for (const std::string& word : words) seen.push_back(see(word));
  const auto at = [&](std::size_t row, std::ptrdiff_t offset) -> const SeenWord& {
    const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(row) + offset;
    return place < 0 || place >= std::ssize(seen) ? outside()
                                                  : seen[static_cast<std::size_t>(place)];
  };
  std::string feature;
  for (std::size_t row = 0; row < words.size(); ++row) {
    const auto add = [&](std::string_view name, std::initializer_list<std::string_view> values) {
      feature.assign(name);
      char before = ' ';
      for (const std::string_view value : values) {
        feature.append(1, before).append(value);
        before = '|';
      }
      take(row, feature);
    };
    const SeenWord &here = at(row, 0), &last = at(row, -1), &next = at(row, 1);
    const SeenWord &before_last = at(row, -2), &after_next = at(row, 2);
    add("W0", {words[row]});
    add("w0", {here.word});
    add("w-1", {last.word});
    add("w+1", {next.word});
    add("w-2", {before_last.word});
    add("w+2", {after_next.word});
    add("w-1 w0", {last.word, here.word});
    add("w0 w+1", {here.word, next.word});
    add("w-1 w+1", {last.word, next.word});
    add("w-2 w-1", {before_last.word, last.word});
    add("w+1 w+2", {next.word, after_next.word});
    add("w-1 w0 w+1", {last.word, here.word, next.word});
    for (std::size_t count = 1; count <= kLongestAffix; ++count) {
      const char digit = static_cast<char>('0' + count);
      add({"p", 1}, {std::string_view(&digit, 1), here.prefix(count)});
      add({"s", 1}, {std::string_view(&digit, 1), here.suffix(count)});
    }
    add("f0", {here.shape});
    add("f-1 f0", {last.shape, here.shape});
    add("f0 f+1", {here.shape, next.shape});
    add("f-1 f0 f+1", {last.shape, here.shape, next.shape});
    add("s-1", {last.suffix(3)});
    add("s+1", {next.suffix(3)});
    add("s-2", {before_last.suffix(2)});
    add("s+2", {after_next.suffix(2)});
    add("s-1 s0", {last.suffix(2), here.suffix(2)});
    add("s0 s+1", {here.suffix(2), next.suffix(2)});
    add("s-1 s0 s+1", {last.suffix(2), here.suffix(2), next.suffix(2)});
    add("w-1 s0", {last.word, here.suffix(3)});
    add("s0 w+1", {here.suffix(3), next.word});
    add("s-1 w0", {last.suffix(3), here.word});
    add("w0 s+1", {here.word, next.suffix(3)});
  }
}

}  // namespace heed
