#include "heed/data/text/split_words.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "heed/data/text/unicode.h"

namespace heed {
namespace {

struct Mark {
  char32_t code;
  Category category;
  std::size_t begin, end;  // bytes of the text
};

bool is_digit(const Mark& c) { return c.category == Category::kNumber; }
// Letters and numbers, and the accents behind them.
bool is_solid(const Mark& c) {
  return (c.category == Category::kLetter && !is_ideograph(c.code)) || is_digit(c);
}
bool is_attached(const Mark& c) {
  return c.category == Category::kMark || c.category == Category::kFormat;
}
bool is_one_of(char32_t code, std::u32string_view codes) {
  return codes.find(code) != std::u32string_view::npos;
}
// Marks that may stand inside a word.
bool stays_inside(char32_t code) { return is_one_of(code, U"-'’.,:/\\_@&+#%*=~^$|·‐‑<>"); }
// Marks of which several in a row are one word.
bool repeats(char32_t code) { return is_one_of(code, U".-!?*=_~#+…—–<>"); }

bool is_address(std::string_view chunk) {
  if (chunk.starts_with("www.") || chunk.find("://") != std::string_view::npos) return true;
  const std::size_t at = chunk.find('@');
  return at != std::string_view::npos && at > 0 && chunk.find('.', at) != std::string_view::npos;
}

// Splits one run of characters without white space.
class ChunkSplitter {
 public:
  ChunkSplitter(std::string_view text, const KnowsWord& knows, Sentence& sentence)
      : text_(text), knows_(knows), sentence_(sentence) {}

  void operator()(const std::vector<Mark>& chunk) {
    chunk_ = &chunk;
    address_ = is_address(part(0, chunk.size()));
    std::size_t begin = 0;
    while (begin < chunk.size()) {
      const std::size_t end = core_end(begin);
      if (end == begin) {
        begin = add_mark(begin);
      } else {
        add_core(begin, end);
        begin = end;
      }
    }
  }

 private:
  std::string_view part(std::size_t begin, std::size_t end) const {
    const std::size_t first = (*chunk_)[begin].begin;
    return text_.substr(first, (*chunk_)[end - 1].end - first);
  }
  bool known(std::string_view word) const { return knows_ && knows_(word); }

  void add(std::string_view word) {
    sentence_.words.emplace_back(word);
    sentence_.source.edit().begins.push_back(word.data() - text_.data());
  }

  // A mark by itself, or a run of the same one.
  std::size_t add_mark(std::size_t begin) {
    std::size_t end = begin + 1;
    const auto more = [&] {
      const Mark& c = (*chunk_)[end];
      return is_attached(c) || (c.code == (*chunk_)[begin].code && repeats(c.code));
    };
    while (end < chunk_->size() && more()) ++end;
    add(part(begin, end));
    return end;
  }

  // Whether a core may begin with this mark: -5, .5, #tag, @name.
  bool begins_core(std::size_t i) const {
    if (i + 1 >= chunk_->size()) return false;
    const char32_t code = (*chunk_)[i].code;
    const Mark& next = (*chunk_)[i + 1];
    if (i > 0 && is_solid((*chunk_)[i - 1])) return false;
    return (is_one_of(code, U"-+.") && is_digit(next)) ||
           (is_one_of(code, U"#@") && is_solid(next));
  }

  // Behind the last character of the word that begins here; `begin` where there is none.
  std::size_t core_end(std::size_t begin) const {
    const std::vector<Mark>& c = *chunk_;
    std::size_t i = begin + (begins_core(begin) ? 1 : 0);
    if (i >= c.size() || !is_solid(c[i])) return begin;
    std::size_t end = i;
    while (i < c.size()) {
      if (is_solid(c[i]) || (is_attached(c[i]) && i == end)) {
        end = ++i;
        continue;
      }
      // Marks that join, as long as letters or numbers follow them.
      std::size_t after = i;
      while (after < c.size() && (address_ ? !is_solid(c[after]) : stays(after))) ++after;
      if (after == i || after >= c.size() || !is_solid(c[after])) break;
      if (!address_ && after > i + 1) break;  // a--b, a...b
      i = after;
    }
    return end + stop(begin, end);
  }

  // Whether the mark here holds what is around it together.
  bool stays(std::size_t i) const {
    const std::vector<Mark>& c = *chunk_;
    if (!stays_inside(c[i].code)) return false;
    if (c[i].code != U',' && c[i].code != U':') return true;
    return i > 0 && i + 1 < c.size() && is_digit(c[i - 1]) && is_digit(c[i + 1]);
  }

  // 1 where the full stop behind a word belongs to it: U.S., e.g., and what is known with it.
  std::size_t stop(std::size_t begin, std::size_t end) const {
    const std::vector<Mark>& c = *chunk_;
    if (end >= c.size() || c[end].code != U'.') return 0;
    if (end + 1 < c.size() && c[end + 1].code == U'.') return 0;
    const bool letters =
        end >= begin + 3 && c[end - 2].code == U'.' && c[end - 1].category == Category::kLetter;
    return letters || known(part(begin, end + 1)) ? 1 : 0;
  }

  void add_core(std::size_t begin, std::size_t end) {
    const std::string_view word = part(begin, end);
    if (!knows_ || address_ || known(word)) return add(word);
    if (!add_contraction(word) && !add_compound(word)) add(word);
  }

  bool add_two(std::string_view word, std::size_t at, std::string_view known_part) {
    if (at == 0 || at >= word.size() || !known(known_part)) return false;
    const std::string_view front = word.substr(0, at);
    if (known(front) || !add_contraction(front)) add(front);
    add(word.substr(at));
    return true;
  }

  bool add_contraction(std::string_view word) {
    const std::size_t plain = word.rfind('\''), curly = word.rfind("’");
    const std::size_t at = plain == word.npos ? curly : plain;
    if (at == word.npos || at == 0) return false;
    const std::size_t behind = at + (plain == word.npos ? std::string_view("’").size() : 1);
    const char before = word[at - 1];
    if ((before == 'n' || before == 'N') && behind + 1 == word.size() &&
        add_two(word, at - 1, word.substr(at - 1))) {
      return true;
    }
    return add_two(word, at, word.substr(at)) || add_two(word, behind, word.substr(0, behind));
  }

  // well-known, and/or: where training had all parts by themselves.
  bool add_compound(std::string_view word) {
    const std::size_t at = word.find_first_of("-/", 1);
    if (at == word.npos || at + 1 == word.size()) return false;
    const std::string_view front = word.substr(0, at), back = word.substr(at + 1);
    if (!known(word.substr(at, 1)) || !known(front) || !known(back)) return false;
    add(front);
    add(word.substr(at, 1));
    add(back);
    return true;
  }

  std::string_view text_;
  const KnowsWord& knows_;
  Sentence& sentence_;
  const std::vector<Mark>* chunk_ = nullptr;
  bool address_ = false;
};

}  // namespace

Sentence split_words(std::string text, const KnowsWord& knows) {
  Sentence sentence;
  const std::string_view all = text;
  ChunkSplitter split(all, knows, sentence);
  std::vector<Mark> chunk;
  const auto finish = [&] {
    if (!chunk.empty()) split(chunk);
    chunk.clear();
  };
  for (std::string_view rest = all; !rest.empty();) {
    const auto begin = static_cast<std::size_t>(rest.data() - all.data());
    const char32_t code = next_code_point(rest);
    const Category kind = category(code);
    const bool outside = kind == Category::kSpace || kind == Category::kControl ||
                         (kind == Category::kFormat && chunk.empty());
    if (outside) {
      finish();
    } else {
      chunk.push_back({code, kind, begin, static_cast<std::size_t>(rest.data() - all.data())});
    }
  }
  finish();
  sentence.source.edit().text = std::move(text);
  return sentence;
}

Sentence split_at_spaces(std::string text) {
  Sentence sentence;
  for (std::size_t begin = text.find_first_not_of(" \t"); begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    sentence.words.push_back(text.substr(begin, end - begin));
    sentence.source.edit().begins.push_back(static_cast<Index>(begin));
    begin = text.find_first_not_of(" \t", end);
  }
  sentence.source.edit().text = std::move(text);
  return sentence;
}

}  // namespace heed
