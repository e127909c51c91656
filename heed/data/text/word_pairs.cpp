#include "heed/data/text/word_pairs.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed {

WordPairs::WordPairs(const Counts& counts, Index size, Index min_count) {
  std::vector<Pair> kept;
  for (const auto& [words, count] : counts.counts_) {
    if (count >= min_count) {
      kept.push_back(
          {static_cast<std::int32_t>(words >> 32), static_cast<std::int32_t>(words), count});
    }
  }
  std::sort(kept.begin(), kept.end(), [](const Pair& a, const Pair& b) {
    return std::tuple(-a.count, a.first, a.second) < std::tuple(-b.count, b.first, b.second);
  });
  if (static_cast<Index>(kept.size()) > size) kept.resize(static_cast<std::size_t>(size));
  for (const Pair& pair : kept) append(pair);
}

bool WordPairs::append(Pair pair) {
  const auto number = static_cast<std::int32_t>(pairs_.size());
  if (!numbers_.emplace(key(pair.first, pair.second), number).second) return false;
  pairs_.push_back(pair);
  return true;
}

std::string WordPairs::text(std::int32_t pair, const Vocabulary& vocabulary) const {
  if (pair < 0 || pair >= size()) fail<ShapeError>("pairs", "pair {} of {}", pair, size());
  const Pair& words = pairs_[static_cast<std::size_t>(pair)];
  return vocabulary.word(words.first) + " " + vocabulary.word(words.second);
}

void WordPairs::save(const std::string& path, const Vocabulary& vocabulary) const {
  std::string bytes;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    bytes += text(static_cast<std::int32_t>(i), vocabulary);
    bytes += '\t';
    bytes += std::to_string(pairs_[i].count);
    bytes += '\n';
  }
  write_file(path, bytes);
}

WordPairs WordPairs::load(const std::string& path, const Vocabulary& vocabulary) {
  const std::string bytes = read_file(path);
  WordPairs pairs;
  Index line = 0;
  const auto refuse = [&](const std::string& problem) {
    throw FormatError(fmt::format("{}:{}: {}", path, line, problem));
  };
  for (std::string_view rest = bytes; !rest.empty();) {
    ++line;
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) refuse("the line has no end: the file was cut short");
    const std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(end + 1);

    const std::size_t space = entry.find(' '), tab = entry.find('\t');
    if (space == entry.npos || tab == entry.npos || tab < space) {
      refuse("expected two words with a space between, a tab and a count");
    }
    Index count = 0;
    const char* const last = entry.data() + entry.size();
    const auto parsed = std::from_chars(entry.data() + tab + 1, last, count);
    if (parsed.ec != std::errc() || parsed.ptr != last || count < 0) {
      refuse(fmt::format("count “{}”, expected a whole number", entry.substr(tab + 1)));
    }
    const auto known = [&](std::string_view word) {
      const std::int32_t index = vocabulary.find(word);
      if (index == Vocabulary::kUnknown) {
        refuse(
            fmt::format("“{}” is not in the vocabulary: one of the two files was changed", word));
      }
      return index;
    };
    const std::int32_t first = known(entry.substr(0, space));
    const std::int32_t second = known(entry.substr(space + 1, tab - space - 1));
    if (!pairs.append({first, second, count})) {
      refuse(fmt::format("the pair “{}” is there twice", entry.substr(0, tab)));
    }
  }
  return pairs;
}

}  // namespace heed
