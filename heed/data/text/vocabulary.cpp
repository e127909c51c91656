#include "heed/data/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed {
namespace {

std::uint32_t hash_of(std::string_view word) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>()(word));
}

void append_escaped(std::string_view word, std::string& line) {
  for (const char c : word) {
    switch (c) {
      case '\\':
        line += "\\\\";
        break;
      case '\t':
        line += "\\t";
        break;
      case '\n':
        line += "\\n";
        break;
      case '\r':
        line += "\\r";
        break;
      default:
        line += c;
    }
  }
}

// False if there is a backslash that append_escaped() does not write.
bool unescape(std::string_view text, std::string& word) {
  word.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      word += text[i];
      continue;
    }
    if (++i == text.size()) return false;
    switch (text[i]) {
      case '\\':
        word += '\\';
        break;
      case 't':
        word += '\t';
        break;
      case 'n':
        word += '\n';
        break;
      case 'r':
        word += '\r';
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace

void WordCounts::add(std::string_view word, Index times) {
  if (word.empty()) return;
  const auto found = counts_.find(word);
  if (found != counts_.end()) {
    found->second += times;
  } else {
    counts_.emplace(word, times);
  }
}

Vocabulary::Vocabulary() : slots_(16) { append(std::string(kUnknownWord), 0); }

Vocabulary::Vocabulary(const WordCounts& counts, Index size, Index min_count) : Vocabulary() {
  if (size < 1) fail<UsageError>("vocabulary", "size {}, expected at least 1", size);
  size = std::min<Index>(size, std::numeric_limits<std::int32_t>::max());
  std::vector<std::pair<std::string_view, Index>> kept;
  for (const auto& [word, count] : counts.counts_) {
    if (count >= min_count && word != kUnknownWord) {
      kept.emplace_back(word, count);
    } else {
      counts_[kUnknown] += count;
    }
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& [word, count] : kept) {
    if (this->size() < size) {
      append(std::string(word), count);
    } else {
      counts_[kUnknown] += count;
    }
  }
}

std::size_t Vocabulary::place(std::string_view word, std::uint32_t hash) const {
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].index >= 0 &&
         (slots_[at].hash != hash || words_[static_cast<std::size_t>(slots_[at].index)] != word)) {
    at = (at + 1) & (slots_.size() - 1);
  }
  return at;
}

std::int32_t Vocabulary::find(std::string_view word) const {
  return std::max(slots_[place(word, hash_of(word))].index, kUnknown);
}

void Vocabulary::find(std::span<const std::string_view> words,
                      std::vector<std::int32_t>& indices) const {
  constexpr std::size_t kTogether = 32;
  std::array<std::uint32_t, kTogether> hashes;
  for (; !words.empty(); words = words.subspan(std::min(kTogether, words.size()))) {
    const auto block = words.first(std::min(kTogether, words.size()));
    for (std::size_t i = 0; i < block.size(); ++i) {
      hashes[i] = hash_of(block[i]);
      __builtin_prefetch(&slots_[hashes[i] & (slots_.size() - 1)]);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      const Slot& slot = slots_[hashes[i] & (slots_.size() - 1)];
      if (slot.index >= 0) __builtin_prefetch(&words_[static_cast<std::size_t>(slot.index)]);
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
      indices.push_back(std::max(slots_[place(block[i], hashes[i])].index, kUnknown));
    }
  }
}

bool Vocabulary::append(std::string word, Index count) {
  if (2 * (words_.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(word);
  Slot& free = slots_[place(word, hash)];
  if (free.index >= 0) return false;
  free = {hash, static_cast<std::int32_t>(words_.size())};
  words_.push_back(std::move(word));
  counts_.push_back(count);
  return true;
}

void Vocabulary::grow() {
  slots_.assign(2 * slots_.size(), Slot());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint32_t hash = hash_of(words_[i]);
    slots_[place(words_[i], hash)] = {hash, static_cast<std::int32_t>(i)};
  }
}

const std::string& Vocabulary::word(std::int32_t index) const {
  if (index < 0 || index >= size()) {
    fail<ShapeError>("vocabulary", "word {} of {}", index, size());
  }
  return words_[static_cast<std::size_t>(index)];
}

Index Vocabulary::count(std::int32_t index) const {
  word(index);
  return counts_[static_cast<std::size_t>(index)];
}

void Vocabulary::save(const std::string& path) const {
  std::string text;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    append_escaped(words_[i], text);
    text += '\t';
    text += std::to_string(counts_[i]);
    text += '\n';
  }
  write_file(path, text);
}

Vocabulary Vocabulary::load(const std::string& path) {
  const std::string text = read_file(path);
  Vocabulary vocabulary;
  std::string word;
  Index line = 0;
  const auto refuse = [&](const std::string& problem) {
    throw FormatError(fmt::format("{}:{}: {}", path, line, problem));
  };
  for (std::string_view rest = text; !rest.empty();) {
    ++line;
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) refuse("the line has no end: the file was cut short");
    const std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(end + 1);

    const std::size_t tab = entry.find('\t');
    if (tab == entry.npos) refuse("no tab, expected a word, a tab and a count");
    Index count = 0;
    const char* const last = entry.data() + entry.size();
    const auto parsed = std::from_chars(entry.data() + tab + 1, last, count);
    if (parsed.ec != std::errc() || parsed.ptr != last || count < 0) {
      refuse(fmt::format("count “{}”, expected a whole number", entry.substr(tab + 1)));
    }
    if (!unescape(entry.substr(0, tab), word)) {
      refuse("a lone backslash, expected \\\\ \\t \\n or \\r");
    }
    if (word.empty()) refuse("an empty word");
    if (line == 1) {
      if (word != kUnknownWord) {
        refuse(fmt::format("the first word is “{}”, expected {}", word, kUnknownWord));
      }
      vocabulary.counts_[kUnknown] = count;
    } else if (!vocabulary.append(word, count)) {
      refuse(fmt::format("the word “{}” is there twice, first in line {}", word,
                         vocabulary.find(word) + 1));
    }
  }
  if (line == 0) throw FormatError(path + ": empty, expected a word in each line");
  return vocabulary;
}

}  // namespace heed
