#include "heed/data/text/tokenizer.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "heed/base/display.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/data/text/subwords.h"
#include "heed/data/text/vocabulary.h"
#include "heed/data/text/words.h"

namespace heed {
namespace {

using Kind = TokenizerOptions::Kind;

constexpr const char* kOptionsFile = "tokenizer.txt";
constexpr const char* kVocabularyFile = "vocabulary.txt";
constexpr const char* kModelFile = "tokenizer.model";

// What the paths of a tokenizer's files begin with.
std::string beginning_of(const std::string& folder, const std::string& prefix) {
  return folder + "/" + prefix;
}

constexpr std::array<std::pair<Kind, std::string_view>, 4> kKinds{{{Kind::kWord, "word"},
                                                                   {Kind::kCharacter, "character"},
                                                                   {Kind::kBpe, "bpe"},
                                                                   {Kind::kUnigram, "unigram"}}};
constexpr std::array<std::pair<UnicodeForm, std::string_view>, 3> kForms{
    {{UnicodeForm::kNone, "none"}, {UnicodeForm::kNfc, "nfc"}, {UnicodeForm::kNfkc, "nfkc"}}};

template <typename Table, typename Value>
std::string_view look_up_name(const Table& table, Value value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  return "?";
}

template <typename Table>
auto look_up(const Table& table, const char* what, std::string_view name) {
  std::string choices;
  for (const auto& [value, known] : table) {
    if (known == name) return value;
    choices += (choices.empty() ? "" : " | ") + std::string(known);
  }
  fail<UsageError>("tokenizer", "{} “{}”, expected {}", what, name, choices);
}

// Words that stand without a space after the one before, or before the one after.
bool closes(std::string_view word) {
  constexpr std::string_view kClosing[] = {".", ",", ";", ":", "!",  "?",
                                           ")", "]", "}", "%", "'s", "’s"};
  return std::find(std::begin(kClosing), std::end(kClosing), word) != std::end(kClosing);
}
bool opens(std::string_view word) { return word == "(" || word == "[" || word == "{"; }

class WordTokenizer : public Tokenizer {
 public:
  WordTokenizer(const TokenizerOptions& options, Vocabulary words)
      : Tokenizer(options), words_(std::move(words)) {}

  void save(const std::string& folder, const std::string& prefix) const override {
    const std::string beginning = beginning_of(folder, prefix);
    words_.save(beginning + kVocabularyFile);
    save_options(beginning);
  }

  Index size() const override { return words_.size(); }
  const Vocabulary* vocabulary() const override { return &words_; }
  std::string piece(std::int32_t id) const override { return words_.word(id); }

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    std::string prepared;
    prepare(text, prepared);
    Words words(prepared);
    for (std::string_view word; words.next(word);) ids.push_back(words_.find(word));
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    bool joins = true;  // the next word follows without a space
    for (const std::int32_t id : ids) {
      const std::string& word = words_.word(id);
      if (!joins && !closes(word)) text += ' ';
      text += word;
      joins = opens(word);
    }
    return text;
  }

  void encode_words(std::span<const std::string> words,
                    std::vector<std::int32_t>& ids) const override {
    std::string prepared;
    for (const std::string& word : words) {
      prepare(word, prepared);
      ids.push_back(words_.find(prepared));
    }
  }

 private:
  Vocabulary words_;
};

class CharacterTokenizer : public Tokenizer {
 public:
  CharacterTokenizer(const TokenizerOptions& options, Vocabulary characters)
      : Tokenizer(options), characters_(std::move(characters)) {}

  void save(const std::string& folder, const std::string& prefix) const override {
    const std::string beginning = beginning_of(folder, prefix);
    characters_.save(beginning + kVocabularyFile);
    save_options(beginning);
  }

  Index size() const override { return characters_.size(); }
  std::string piece(std::int32_t id) const override { return characters_.word(id); }
  const Vocabulary* vocabulary() const override { return &characters_; }

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    std::string prepared;
    prepare(text, prepared);
    each_character(prepared, [&](std::string_view c) { ids.push_back(characters_.find(c)); });
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += characters_.word(id);
    return text;
  }

  template <typename Take>
  static void each_character(std::string_view text, Take&& take) {
    while (!text.empty()) {
      const std::string_view before = text;
      next_code_point(text);
      take(before.substr(0, before.size() - text.size()));
    }
  }

 private:
  Vocabulary characters_;
};

class SubwordTokenizer : public Tokenizer {
 public:
  SubwordTokenizer(const TokenizerOptions& options, Subwords subwords)
      : Tokenizer(options), subwords_(std::move(subwords)) {}

  void save(const std::string& folder, const std::string& prefix) const override {
    const std::string beginning = beginning_of(folder, prefix);
    write_file(beginning + kModelFile, subwords_.bytes());
    save_options(beginning);
  }

  Index size() const override { return subwords_.size(); }
  std::string piece(std::int32_t id) const override { return subwords_.piece(id); }

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    std::string prepared;
    prepare(text, prepared);
    subwords_.encode(prepared, ids);
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    return subwords_.decode(ids);
  }

 private:
  Subwords subwords_;
};

void check(const TokenizerOptions& options) {
  if (options.vocabulary < 2) {
    fail<UsageError>("tokenizer", "vocabulary {}, expected at least 2", options.vocabulary);
  }
  if (options.min_count < 1) {
    fail<UsageError>("tokenizer", "min_count {}, expected at least 1", options.min_count);
  }
}

std::unique_ptr<Tokenizer> train_on_words(const TokenizerOptions& options,
                                          const TextVisitor& texts) {
  WordCounts counts;
  std::string prepared;
  texts([&](std::string_view text) {
    prepare(text, options.normalization, options.lowercase, prepared);
    Words words(prepared);
    for (std::string_view word; words.next(word);) counts.add(word);
  });
  return std::make_unique<WordTokenizer>(options,
                                         Vocabulary(counts, options.vocabulary, options.min_count));
}

std::unique_ptr<Tokenizer> train_on_characters(const TokenizerOptions& options,
                                               const TextVisitor& texts) {
  WordCounts counts;
  std::string prepared;
  texts([&](std::string_view text) {
    prepare(text, options.normalization, options.lowercase, prepared);
    CharacterTokenizer::each_character(prepared, [&](std::string_view c) { counts.add(c); });
  });
  return std::make_unique<CharacterTokenizer>(
      options, Vocabulary(counts, options.vocabulary, options.min_count));
}

// Whatever TokenizerOptions::text_per_piece says.
constexpr Index kFewestPieces = 1000;

Index most_pieces(const TokenizerOptions& options, std::span<const std::string> prepared) {
  if (options.text_per_piece == 0) return options.vocabulary;
  std::unordered_set<char32_t> characters;
  Index written = 0;
  for (const std::string& text : prepared) {
    for (std::string_view rest = text; !rest.empty(); ++written) {
      characters.insert(next_code_point(rest));
    }
  }
  const Index worth_it = std::ssize(characters) + written / options.text_per_piece;
  return std::min(options.vocabulary, std::max(kFewestPieces, worth_it));
}

std::unique_ptr<Tokenizer> train_on_subwords(const TokenizerOptions& options,
                                             const TextVisitor& texts) {
  std::vector<std::string> prepared;
  texts([&](std::string_view text) {
    prepare(text, options.normalization, options.lowercase, prepared.emplace_back());
  });
  const auto method =
      options.kind == Kind::kBpe ? Subwords::Method::kBpe : Subwords::Method::kUnigram;
  return std::make_unique<SubwordTokenizer>(
      options, Subwords::train(method, most_pieces(options, prepared), prepared));
}

constexpr std::string_view kFirstLine = "heed tokenizer 2";

struct Saved {
  TokenizerOptions options;
  Index size = 0;
};

// The lines of tokenizer.txt, each a key and a value in a fixed order.
Saved load_options(const std::string& path) {
  const std::string bytes = read_file(path);
  std::string_view rest = bytes;
  int line = 0;
  const auto refuse = [&](const std::string& problem) {
    throw FormatError(fmt::format("{}:{}: {}", path, line, problem));
  };
  const auto next = [&](std::string_view expected) {
    ++line;
    const std::size_t end = rest.find('\n');
    if (!rest.starts_with(expected) || end == rest.npos) {
      refuse(fmt::format("expected “{}”; the file is damaged or of another version", expected));
    }
    const std::string_view value = rest.substr(expected.size(), end - expected.size());
    rest.remove_prefix(end + 1);
    return value;
  };
  Saved saved;
  TokenizerOptions& options = saved.options;
  if (!next(kFirstLine).empty()) refuse(fmt::format("expected “{}”", kFirstLine));
  try {
    options.kind = tokenizer_kind(next("kind "));
    options.normalization = normalization(next("normalization "));
  } catch (const UsageError& error) {
    refuse(error.what());
  }
  const auto flag = [&](std::string_view key) {
    const std::string_view value = next(key);
    if (value != "true" && value != "false") refuse("expected true or false");
    return value == "true";
  };
  const auto number = [&](std::string_view key) {
    const std::string_view value = next(key);
    Index parsed = 0;
    for (const char digit : value) {
      if (digit < '0' || digit > '9' || parsed > (1 << 30)) refuse("expected a whole number");
      parsed = 10 * parsed + (digit - '0');
    }
    return parsed;
  };
  options.lowercase = flag("lowercase ");
  saved.size = number("size ");
  ++line;
  if (!rest.empty()) refuse("expected the end of the file");
  return saved;
}

}  // namespace

std::string_view name_of(Kind kind) { return look_up_name(kKinds, kind); }
std::string_view name_of(UnicodeForm form) { return look_up_name(kForms, form); }
Kind tokenizer_kind(std::string_view name) { return look_up(kKinds, "kind", name); }
UnicodeForm normalization(std::string_view name) { return look_up(kForms, "normalization", name); }

std::string entries_text(const Tokenizer& tokenizer) {
  const char* what = tokenizer.kind() == Kind::kWord        ? "words"
                     : tokenizer.kind() == Kind::kCharacter ? "characters"
                                                            : "subwords";
  return fmt::format("{} {}", with_commas(tokenizer.size()), what);
}

std::unique_ptr<Tokenizer> Tokenizer::train(const TokenizerOptions& options,
                                            const TextVisitor& texts) {
  check(options);
  switch (options.kind) {
    case Kind::kWord:
      return train_on_words(options, texts);
    case Kind::kCharacter:
      return train_on_characters(options, texts);
    default:
      return train_on_subwords(options, texts);
  }
}

std::unique_ptr<Tokenizer> Tokenizer::train_words(const TokenizerOptions& options,
                                                  const TextVisitor& words) {
  check(options);
  if (options.kind != Kind::kWord) {
    fail<UsageError>("tokenizer", "words as they are need the tokenizer “word”, this one is “{}”",
                     name_of(options.kind));
  }
  WordCounts counts;
  std::string prepared;
  words([&](std::string_view word) {
    heed::prepare(word, options.normalization, options.lowercase, prepared);
    counts.add(prepared);
  });
  return std::make_unique<WordTokenizer>(options,
                                         Vocabulary(counts, options.vocabulary, options.min_count));
}

std::unique_ptr<Tokenizer> Tokenizer::load(const std::string& folder, const std::string& prefix) {
  const std::string beginning = beginning_of(folder, prefix);
  const auto [options, size] = load_options(beginning + kOptionsFile);
  const auto check_count = [&](const char* file, const char* what, Index found, Index expected) {
    if (found != expected) {
      throw FormatError(fmt::format("{}: {} {}, expected {} as tokenizer.txt says",
                                    beginning + file, found, what, expected));
    }
  };
  if (options.kind == Kind::kBpe || options.kind == Kind::kUnigram) {
    const std::string path = beginning + kModelFile;
    Subwords subwords(read_file(path), path);
    check_count(kModelFile, "pieces", subwords.size(), size);
    return std::make_unique<SubwordTokenizer>(options, std::move(subwords));
  }
  Vocabulary vocabulary = Vocabulary::load(beginning + kVocabularyFile);
  check_count(kVocabularyFile, "entries", vocabulary.size(), size);
  if (options.kind == Kind::kCharacter) {
    return std::make_unique<CharacterTokenizer>(options, std::move(vocabulary));
  }
  return std::make_unique<WordTokenizer>(options, std::move(vocabulary));
}

std::vector<std::string> Tokenizer::files(const std::string& prefix) {
  return {prefix + kOptionsFile, prefix + kVocabularyFile, prefix + kModelFile};
}

void Tokenizer::save_options(const std::string& beginning) const {
  write_file(beginning + kOptionsFile,
             fmt::format("{}\nkind {}\nnormalization {}\nlowercase {}\nsize {}\n", kFirstLine,
                         name_of(options_.kind), name_of(options_.normalization),
                         options_.lowercase, size()));
}

void Tokenizer::encode_words(std::span<const std::string>, std::vector<std::int32_t>&) const {
  fail<UsageError>("tokenizer", "words as they are need the tokenizer “word”, this one is “{}”",
                   name_of(kind()));
}

}  // namespace heed
