#include "heed/model/text_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heed/base/random.h"
#include "heed/base/utf8.h"
#include "heed/data/text/unicode.h"
#include "heed/data/text/vocabulary.h"
#include "heed/data/text/words.h"
#include "heed/model/input/spelling.h"

namespace heed {
namespace {

constexpr std::size_t kLongestSpelled = 40;  // letters of a word that are looked at

// Where each code point of a word begins, and its end.
std::vector<std::size_t> boundaries(std::string_view word) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if ((static_cast<unsigned char>(word[i]) & 0xC0) != 0x80) places.push_back(i);
  }
  places.push_back(word.size());
  return places;
}

std::uint64_t hash(std::string_view piece) {
  std::uint64_t value = 0x9E3779B97F4A7C15u;
  for (const char letter : piece) value = mix(value, static_cast<unsigned char>(letter));
  return value;
}

// What belongs to the first `rows` rows alone.
void cut_parts(std::size_t rows, std::vector<std::int32_t>& counts,
               std::vector<std::int32_t>& parts) {
  if (counts.empty()) return;
  counts.resize(rows);
  parts.resize(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
}

}  // namespace

void count_entries(const Tokenizer& tokenizer, TextInputOptions& options) {
  options.entries = tokenizer.size() - tokenizer.pairs();
  options.clues.entries = 0;
  if (options.clues.kind != ClueKind::kNone) options.clues.entries = tokenizer.size();
  if (options.clues.kind == ClueKind::kLetters) options.clues.entries += options.letters.buckets;
}

TextExamples::TextExamples(const Config& config, std::shared_ptr<const Tokenizer> tokenizer)
    : options_(config.text), tokenizer_(std::move(tokenizer)), names_(config.output.names) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    answers_.emplace(names_[i], static_cast<std::int32_t>(i));
  }
}

std::int32_t TextExamples::answer(const std::string& name) const {
  const auto found = answers_.find(name);
  return found == answers_.end() ? kNoAnswer : found->second;
}

// What the letters of a word bring, where they are used.
void TextExamples::add_word(std::string_view word, Example& example) const {
  add_pieces(word, example);
  add_spelling(word, example);
}

void TextExamples::add_spelling(std::string_view word, Example& example) const {
  if (options_.spelling.filters == 0) return;
  const std::size_t before = example.letters.size();
  example.letters.push_back(kWordBegin);
  while (!word.empty() && example.letters.size() - before < kLongestSpelled) {
    const Utf8Character character = first_character(word);
    example.letters.push_back(letter_number(character.code));
    word.remove_prefix(character.bytes);
  }
  example.letters.push_back(kWordEnd);
  example.letter_counts.push_back(static_cast<std::int32_t>(example.letters.size() - before));
}

// The pieces of <word>, with its ends marked, each hashed to a place in the table.
void TextExamples::add_pieces(std::string_view word, Example& example) const {
  const LetterOptions& letters = options_.letters;
  if (letters.buckets == 0) return;
  const std::string marked = fmt::format("<{}>", word);
  std::vector<std::size_t> at = boundaries(marked);
  if (at.size() > kLongestSpelled) at.resize(kLongestSpelled);
  std::int32_t count = 0;
  for (std::size_t begin = 0; begin + 1 < at.size(); ++begin) {
    for (Index length = letters.shortest; length <= letters.longest; ++length) {
      const std::size_t end = begin + static_cast<std::size_t>(length);
      if (end >= at.size()) break;
      const std::string_view piece =
          std::string_view(marked).substr(at[begin], at[end] - at[begin]);
      example.grams.push_back(
          static_cast<std::int32_t>(hash(piece) % static_cast<std::uint64_t>(letters.buckets)));
      ++count;
    }
  }
  example.gram_counts.push_back(count);
}

// No example is empty, and none is longer than a model reads that cuts.
void TextExamples::cut(Example& example) const {
  if (example.tokens.empty()) {
    example.tokens.push_back(Vocabulary::kUnknown);
    add_word("", example);
  }
  const auto longest = static_cast<std::size_t>(options_.longest);
  if (options_.beyond != Beyond::kCut || example.tokens.size() <= longest) return;
  example.tokens.resize(longest);
  cut_parts(longest, example.gram_counts, example.grams);
  cut_parts(longest, example.letter_counts, example.letters);
  if (!example.tags.empty()) example.tags.resize(longest);
}

// Every known token, pair of words and piece of a word once, with how often it occurs.
void TextExamples::add_clues(Example& example) const {
  if (options_.clues.kind == ClueKind::kNone) return;
  std::vector<std::int32_t> all = example.tokens;
  if (tokenizer_->pairs() > 0) tokenizer_->encode_pairs(example.tokens, all);
  if (options_.clues.kind == ClueKind::kLetters) {
    const auto first = static_cast<std::int32_t>(tokenizer_->size());
    for (const std::int32_t gram : example.grams) all.push_back(first + gram);
  }
  std::sort(all.begin(), all.end());
  for (const std::int32_t id : all) {
    if (id == Vocabulary::kUnknown) continue;
    if (!example.clues.empty() && example.clues.back() == id) {
      ++example.clue_counts.back();
    } else {
      example.clues.push_back(id);
      example.clue_counts.push_back(1);
    }
  }
  if (example.clues.empty()) {
    example.clues.push_back(Vocabulary::kUnknown);
    example.clue_counts.push_back(1);
  }
}

Example TextExamples::labelled(std::string_view text, const std::string& label) const {
  Example example;
  example.label = answer(label);
  tokenizer_->encode(text, example.tokens);
  if (options_.letters.buckets > 0 || options_.spelling.filters > 0) {
    std::string prepared;
    prepare(text, options_.tokenizer.normalization, options_.tokenizer.lowercase, prepared);
    Words words(prepared);
    for (std::string_view word; words.next(word);) add_word(word, example);
  }
  add_clues(example);  // of the whole text
  cut(example);
  return example;
}

Example TextExamples::tagged(const std::vector<std::string>& words,
                             const std::vector<std::string>& tags) const {
  Example example;
  tokenizer_->encode_words(words, example.tokens);
  for (const std::string& word : words) {
    // As it is written: capitals tell names from words.
    add_word(word, example);
  }
  for (const std::string& tag : tags) example.tags.push_back(answer(tag));
  cut(example);
  return example;
}

}  // namespace heed
