#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/text/unicode.h"
#include "heed/tensor/shape.h"

namespace heed {

class Vocabulary;

struct TokenizerOptions {
  enum class Kind { kWord, kCharacter, kBpe, kUnigram };

  Kind kind = Kind::kWord;
  Index vocabulary = 30000;  // entries at most, the unknown one included
  // Of subwords: characters of text for each of them, single characters aside. Little text has
  // fewer, since what hardly occurs cannot be learned: at least 1,000. 0: no matter how much text.
  Index text_per_piece = 0;
  Index min_count = 1;  // words and characters seen less often are unknown
  bool lowercase = true;
  UnicodeForm normalization = UnicodeForm::kNfkc;
};

// As written in configurations and files: word | character | bpe | unigram, none | nfc | nfkc.
std::string_view name_of(TokenizerOptions::Kind kind);
std::string_view name_of(UnicodeForm form);
// What is none of these names is a UsageError that lists them.
TokenizerOptions::Kind tokenizer_kind(std::string_view name);
UnicodeForm normalization(std::string_view name);

// Calls `take` with every text, one after another.
using TextVisitor = std::function<void(const std::function<void(std::string_view)>& take)>;

class Tokenizer;
// "41 words", "60 characters", "800 subwords".
std::string entries_text(const Tokenizer& tokenizer);

// From text to indices.
//
//   - Text is normalised and put in lower case first, as the options say (unicode.h).
//   - Word: split as words.h describes. Character: the code points. BPE and unigram: pieces of
//     words (subwords.h). Every id is in 0 … size() − 1, and 0 is what is not known.
//   - Trained once, from the training texts alone; the same texts give the same tokenizer.
//   - Const, and safe to call from several threads at once.
//
// In a model folder it is tokenizer.txt (the kind and how text is prepared) with vocabulary.txt
// (word, character) or tokenizer.model (SentencePiece's format).
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  static std::unique_ptr<Tokenizer> train(const TokenizerOptions& options,
                                          const TextVisitor& texts);
  // For texts that come as words, such as tagged sentences: words are taken as they are. For kWord.
  static std::unique_ptr<Tokenizer> train_words(const TokenizerOptions& options,
                                                const TextVisitor& words);

  // Files that do not fit together or were changed are a FormatError with the file and the line.
  // `prefix` begins the names of the files, where a folder has several tokenizers.
  static std::unique_ptr<Tokenizer> load(const std::string& folder, const std::string& prefix = {});
  virtual void save(const std::string& folder, const std::string& prefix = {}) const = 0;
  // The names of the files that there may be.
  static std::vector<std::string> files(const std::string& prefix = {});

  TokenizerOptions::Kind kind() const { return options_.kind; }
  virtual Index size() const = 0;
  // The text of an id.
  virtual std::string piece(std::int32_t id) const = 0;
  // The words or characters by themselves; null where there are none (subwords).
  virtual const Vocabulary* vocabulary() const { return nullptr; }

  // Appends the ids of a text.
  virtual void encode(std::string_view text, std::vector<std::int32_t>& ids) const = 0;
  // The text of ids, written as text is: words with spaces between, but none before a full stop.
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;
  // Appends exactly one id for each word, without splitting it; a UsageError unless kWord.
  virtual void encode_words(std::span<const std::string> words,
                            std::vector<std::int32_t>& ids) const;

 protected:
  explicit Tokenizer(const TokenizerOptions& options) : options_(options) {}
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  void prepare(std::string_view text, std::string& prepared) const {
    heed::prepare(text, options_.normalization, options_.lowercase, prepared);
  }
  void save_options(const std::string& beginning) const;

  TokenizerOptions options_;
};

}  // namespace heed
