#include "heed/model/input/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heed/base/random.h"
#include "heed/base/utf8.h"
#include "heed/data/text/char_ngrams.h"
#include "heed/data/text/unicode.h"
#include "heed/data/text/vectors.h"
#include "heed/data/text/vocabulary.h"
#include "heed/data/text/words.h"
#include "heed/data/utf8.h"
#include "heed/model/input/char_cnn.h"
#include "heed/model/input/latent_vectors.h"
#include "heed/model/input/text_network.h"

namespace heed {
namespace {

constexpr std::size_t kLongestSpelled = 40;  // characters of a word that are looked at
constexpr std::size_t kMostKept = 20'000;    // words whose n-grams are found only once

std::uint64_t hash(std::string_view ngram) {
  std::uint64_t value = 0x9E3779B97F4A7C15u;
  for (const char c : ngram) value = mix(value, static_cast<unsigned char>(c));
  return value;
}

}  // namespace

bool TextInput::reads(const Content& content) const {
  if (const auto* text = std::get_if<Text>(&content)) {
    // Before it is fitted it reads both.
    return options_.pairs || tokenizer_ == nullptr || !text->second;
  }
  return std::holds_alternative<Sentence>(content);
}

void TextInput::fit(const Dataset& train) {
  const bool divided = train.size() > 0 && std::holds_alternative<Sentence>(train[0].content);
  const TextVisitor visit = [&](const std::function<void(std::string_view)>& take) {
    for (const Record& record : train.records) {
      if (const auto* text = std::get_if<Text>(&record.content)) {
        take(text->text);
        if (text->second) take(*text->second);
      }
      if (const auto* sentence = std::get_if<Sentence>(&record.content)) {
        for (const std::string& word : sentence->words) take(word);
      }
      const auto* target = std::get_if<Sequence>(&record.answer);
      if (options_.targets && target != nullptr) take(target->text);
    }
  };
  tokenizer_ = divided ? Tokenizer::train_words(options_.tokenizer, visit)
                       : Tokenizer::train(options_.tokenizer, visit);
  options_.entries = tokenizer_->size();
  ngrams_of_frequent_ = std::make_shared<LazyLists>(kMostKept);
  const auto paired = [](const Record& record) {
    const auto* text = std::get_if<Text>(&record.content);
    return text != nullptr && text->second.has_value();
  };
  const auto count = std::count_if(train.records.begin(), train.records.end(), paired);
  options_.pairs = count > 0;
  if (count == 0 || count == std::ssize(train.records)) return;
  throw FormatError(fmt::format("{} of {} examples are pairs of texts, expected all or none", count,
                                train.size()));
}

std::string TextInput::summary() const { return entries_text(*tokenizer_); }

std::string TextInput::row_problem() const {
  const TokenizerOptions::Kind kind = options_.tokenizer.kind;
  if (kind == TokenizerOptions::Kind::kWord) return {};
  return fmt::format("tokenizer.kind {}: words can be tagged with the tokenizer word alone",
                     name_of(kind));
}

std::string TextInput::token_problem() const {
  if (!options_.tied) return "tied false: expected true, so that its vectors score the next token";
  return {};
}

void TextInput::prepare(const Content& content, Batch& batch) const {
  prepare(content, batch, Keep::kBegin);
}

void TextInput::prepare_prompt(const Content& content, Batch& batch) const {
  prepare(content, batch, Keep::kEnd);
}

void TextInput::prepare(const Content& content, Batch& batch, Keep keep) const {
  Columns& columns = batch.input;
  if (options_.tied) columns.integers(kTokens).push(static_cast<std::int32_t>(options_.entries));
  if (const auto* sentence = std::get_if<Sentence>(&content)) {
    prepare_sentence(sentence->words, columns);
  } else if (options_.pairs) {
    append_pair(std::get<Text>(content), columns);
  } else {
    append_text(std::get<Text>(content).text, options_.truncation, keep, columns);
  }
  Ragged<std::int32_t>& tokens = columns.integers(kTokens);
  if (tokens.open() == 0) {  // no sequence is empty
    tokens.push(Vocabulary::kUnknown);
    add_word("", columns);
  }
  batch.lengths.push_back(tokens.open());
  tokens.close();
  if (options_.pairs) columns.integers(kSides).close();
  if (options_.char_ngrams.buckets > 0) {
    columns.integers(kNgramCounts).close();
    columns.integers(kNgrams).close();
  }
  if (options_.char_cnn.filters > 0) {
    columns.integers(kCharacterCounts).close();
    columns.integers(kCharacterIds).close();
  }
}

Input::Rows TextInput::vary(Batch& batch, Random& random) const {
  const Rows kept = crop(batch, random);
  if (options_.masked_words.share > 0.0f) mask(batch, random);
  return kept;
}

// A random part of a longer text: each time another one.
Input::Rows TextInput::crop(Batch& batch, Random& random) const {
  const Index rows = batch.lengths.back(), count = varied_length(rows);
  if (count == rows) return {0, rows};
  const Index first = random.below(static_cast<std::uint32_t>(rows - count + 1));
  Columns& columns = batch.input;
  columns.integers(kTokens).keep(first, count);
  // Of values that belong to a row, as many as its count says.
  const auto keep = [&](Column counts, Column values) {
    Ragged<std::int32_t>& of_rows = columns.integers(counts);
    const std::span<std::int32_t> all = of_rows.last();
    const auto begin = all.begin() + first;
    columns.integers(values).keep(std::accumulate(all.begin(), begin, Index{0}),
                                  std::accumulate(begin, begin + count, Index{0}));
    of_rows.keep(first, count);
  };
  if (options_.char_ngrams.buckets > 0) keep(kNgramCounts, kNgrams);
  if (options_.char_cnn.filters > 0) keep(kCharacterCounts, kCharacterIds);
  batch.lengths.back() = count;
  return {first, count};
}

// Says which words the network hides, and what they are.
void TextInput::mask(Batch& batch, Random& random) const {
  Ragged<std::int32_t>& masked = batch.input.integers(kMasked);
  for (const std::int32_t token : batch.input.integers(kTokens).last()) {
    masked.push(random.uniform() < options_.masked_words.share ? token : kNotMasked);
  }
  masked.close();
}

bool TextInput::knows(std::string_view word) const {
  if (tokenizer_->kind() != TokenizerOptions::Kind::kWord) return false;
  const std::string one(word);
  std::vector<std::int32_t> ids;
  tokenizer_->encode_words({&one, 1}, ids);
  return ids.front() != Vocabulary::kUnknown;
}

bool TextInput::halve(const Content& content, Content& front, Content& back) const {
  if (options_.truncation > 0) return false;
  if (const auto* sentence = std::get_if<Sentence>(&content)) {
    const auto middle = sentence->words.begin() + std::ssize(sentence->words) / 2;
    if (middle == sentence->words.begin()) return false;
    front = Sentence{{sentence->words.begin(), middle}};
    back = Sentence{{middle, sentence->words.end()}};
    return true;
  }
  const auto* text = std::get_if<Text>(&content);
  if (text == nullptr || text->second || text->text.size() < 2) return false;
  const std::string& all = text->text;
  std::size_t middle = all.find_last_of(" \t\n", all.size() / 2);
  if (middle == std::string::npos || middle == 0) {  // no space: between two characters
    middle = all.size() / 2;
    while (middle > 0 && (static_cast<unsigned char>(all[middle]) & 0xC0) == 0x80) --middle;
    if (middle == 0) return false;
  }
  front = Text{all.substr(0, middle)};
  back = Text{all.substr(middle)};
  return true;
}

// Of a text the part that has all tokens that are read, however long its words are.
std::string_view TextInput::read_part(std::string_view text, Keep keep) const {
  constexpr std::size_t kBytesOfAToken = 256;
  const auto most = static_cast<std::size_t>(options_.truncation) * kBytesOfAToken;
  if (most == 0 || text.size() <= most) return text;
  const auto inside = [&](std::size_t at) {  // a character
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  if (keep == Keep::kEnd) {
    std::size_t begin = text.size() - most;
    while (begin < text.size() && inside(begin)) ++begin;
    return text.substr(begin);
  }
  std::size_t end = most;
  while (inside(end)) --end;
  return text.substr(0, end);
}

// At most so many of the last tokens, those before them not counted; 0: all.
void TextInput::truncate(Ragged<std::int32_t>& tokens, Index before, Index most, Keep keep) {
  const Index extra = tokens.open() - before - most;
  if (most == 0 || extra <= 0) return;
  if (keep == Keep::kEnd) {
    const auto begin = tokens.buffer().end() - extra - most;
    tokens.buffer().erase(begin, begin + extra);
  }
  tokens.truncate(before + most);
}

void TextInput::append_text(std::string_view text, Index most, Keep keep, Columns& columns) const {
  text = read_part(text, keep);
  Ragged<std::int32_t>& tokens = columns.integers(kTokens);
  const Index before = tokens.open();
  if (options_.char_ngrams.buckets == 0 && options_.char_cnn.filters == 0) {
    tokenizer_->encode(text, tokens.buffer());
    truncate(tokens, before, most, keep);
    return;
  }
  // Tokens are words then (TextOptions), split once for their numbers and their characters.
  std::string prepared;
  heed::prepare(text, options_.tokenizer.normalization, options_.tokenizer.lowercase, prepared);
  const Index walked = keep == Keep::kEnd ? 0 : most;
  std::vector<std::string_view> words;
  Words rest(prepared);
  for (std::string_view word; (walked == 0 || std::ssize(words) < walked) && rest.next(word);) {
    words.push_back(word);
  }
  std::span<const std::string_view> read = words;
  if (most > 0) read = read.last(std::min(read.size(), static_cast<std::size_t>(most)));
  tokenizer_->vocabulary()->find(read, tokens.buffer());
  const auto numbers = std::span(tokens.buffer()).last(read.size());
  for (std::size_t i = 0; i < read.size(); ++i) add_word(read[i], columns, numbers[i]);
}

// Where both do not fit, the longer one is cut until they do.
void TextInput::append_pair(const Text& pair, Columns& columns) const {
  if (!pair.second) {
    throw UsageError(
        fmt::format("\"{}\": expected a pair of texts: two columns, or a tab between the two",
                    shortened(pair.text)));
  }
  const std::string_view first = pair.text, second = *pair.second;
  Index of_first = 0, of_second = 0;  // the most tokens; 0: all
  if (options_.truncation > 0) {
    std::vector<std::int32_t> counted;
    tokenizer_->encode(first, counted);
    const Index one = std::ssize(counted);
    counted.clear();
    tokenizer_->encode(second, counted);
    const Index two = std::ssize(counted);
    const Index room = std::max<Index>(2, options_.truncation - 1);
    of_second = std::max<Index>(1, std::min(two, std::max(room - one, room / 2)));
    of_first = std::max<Index>(1, std::min(one, room - of_second));
  }
  Ragged<std::int32_t>& tokens = columns.integers(kTokens);
  Ragged<std::int32_t>& sides = columns.integers(kSides);
  append_text(first, of_first, Keep::kBegin, columns);
  while (sides.open() < tokens.open()) sides.push(kFirstText);
  tokens.push(Vocabulary::kUnknown);
  sides.push(kSeparator);
  add_word("", columns);
  append_text(second, of_second, Keep::kBegin, columns);
  while (sides.open() < tokens.open()) sides.push(kSecondText);
}

void TextInput::prepare_sentence(const std::vector<std::string>& words, Columns& columns) const {
  std::span<const std::string> read = words;
  if (options_.truncation > 0 && std::ssize(words) > options_.truncation) {
    read = read.first(static_cast<std::size_t>(options_.truncation));
  }
  tokenizer_->encode_words(read, columns.integers(kTokens).buffer());
  // As a word is written: capitals tell names from others.
  for (const std::string& word : read) add_word(word, columns);
}

void TextInput::add_word(std::string_view word, Columns& columns, std::int32_t token) const {
  if (options_.char_ngrams.buckets > 0) add_ngrams(word, columns, token);
  if (options_.char_cnn.filters > 0) add_characters(word, columns);
}

void TextInput::add_characters(std::string_view word, Columns& columns) const {
  Ragged<std::int32_t>& ids = columns.integers(kCharacterIds);
  std::size_t count = 2;  // with the ends
  ids.push(kWordBegin);
  for (; !word.empty() && count <= kLongestSpelled; ++count) {
    const Utf8Character character = first_character(word);
    ids.push(character_number(character.code));
    word.remove_prefix(character.bytes);
  }
  ids.push(kWordEnd);
  columns.integers(kCharacterCounts).push(static_cast<std::int32_t>(count));
}

// Each n-gram hashed to a bucket.
void TextInput::append_ngrams(std::string_view word, std::vector<std::int32_t>& buckets) const {
  const CharNgramOptions& options = options_.char_ngrams;
  CharNgrams each(options.shortest, options.longest);
  const std::string small = options.lowercase ? lower(word) : std::string();
  each(options.lowercase ? std::string_view(small) : word, [&](std::string_view ngram) {
    buckets.push_back(
        static_cast<std::int32_t>(hash(ngram) % static_cast<std::uint64_t>(options.buckets)));
  });
}

void TextInput::add_ngrams(std::string_view word, Columns& columns, std::int32_t token) const {
  std::vector<std::int32_t>& ngrams = columns.integers(kNgrams).buffer();
  const std::size_t before = ngrams.size();
  const auto index = static_cast<std::size_t>(token);
  if (token == Vocabulary::kUnknown || index >= ngrams_of_frequent_->size()) {
    append_ngrams(word, ngrams);
  } else {
    const std::span<const std::int32_t> kept = ngrams_of_frequent_->get(
        index, [&](std::vector<std::int32_t>& to) { append_ngrams(word, to); });
    ngrams.insert(ngrams.end(), kept.begin(), kept.end());
  }
  columns.integers(kNgramCounts).push(static_cast<std::int32_t>(ngrams.size() - before));
}

std::vector<std::string> TextInput::files() const { return Tokenizer::files(); }

void TextInput::save(const std::string& folder) const { tokenizer_->save(folder); }

void TextInput::load(const std::string& folder) {
  tokenizer_ = Tokenizer::load(folder);
  ngrams_of_frequent_ = std::make_shared<LazyLists>(kMostKept);
  if (tokenizer_->size() != options_.entries) {
    throw FormatError(fmt::format(
        "{}: the tokenizer has {} entries, config.json says {}: one of them was changed", folder,
        tokenizer_->size(), options_.entries));
  }
}

std::unique_ptr<InputNetwork> TextInput::network(const Scope& scope, Index width) const {
  return std::make_unique<TextNetwork>(scope, options_, width);
}

// By the training texts, or an even part of them where there are many.
void TextInput::begin_with_latent_vectors(const Parameter& words, std::uint64_t key,
                                          const FirstValues& from) const {
  constexpr Index kMostTokens = 5'000'000, kMostTexts = 200'000;
  const Index every =
      1 + std::max(from.train.rows() / kMostTokens, from.train.count() / kMostTexts);
  LatentVectors latent(options_.entries);
  Batch one;
  std::vector<std::int32_t> known;
  for (Index i = 0; i < from.train.count(); i += every) {
    one.clear();
    from.train.load(i, one);
    known.clear();
    for (const std::int32_t token : one.input.integers(kTokens).values()) {
      if (token != Vocabulary::kUnknown && token < options_.entries) known.push_back(token);
    }
    latent.add(known);
  }
  Workers workers(from.workers);
  latent.compute(words.value.span(), words.value.columns(), options_.deviation, key, workers);
}

void TextInput::initialize(const Scope& scope, const FirstValues& from) const {
  const Parameter& words = *scope.parameters().find(scope.path("words.weight"));
  if (options_.first_vectors == FirstVectors::kLsa) {
    begin_with_latent_vectors(words, scope.parameters().key(words), from);
  }
  if (options_.vectors.empty()) return;
  const Vocabulary* vocabulary = tokenizer_->vocabulary();
  if (vocabulary == nullptr) {
    throw UsageError(fmt::format("input.vectors {}: the tokenizer {} has no words to find there",
                                 options_.vectors, name_of(tokenizer_->kind())));
  }
  const Index found = read_vectors(from.at(options_.vectors), *vocabulary, words.value.columns(),
                                   words.value.span());
  from.notes(fmt::format("{} of {} words have a vector in {}", found, vocabulary->size(),
                         options_.vectors));
}

}  // namespace heed
