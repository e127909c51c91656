#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "heed/data/batch.h"
#include "heed/data/text/tokenizer.h"
#include "heed/model/config.h"

namespace heed {

// Fills in how much there is to know once the tokenizer is trained.
void count_entries(const Tokenizer& tokenizer, TextInputOptions& options);

// From text to examples, as a config says: tokens, letters, the index of the answer. Const and safe
// to call from several threads.
class TextExamples {
 public:
  TextExamples(const Config& config, std::shared_ptr<const Tokenizer> tokenizer);

  // A text with its label. An unknown label becomes kNoAnswer; so does an empty one.
  Example labelled(std::string_view text, const std::string& label) const;
  // Words with their tags, or without.
  Example tagged(const std::vector<std::string>& words, const std::vector<std::string>& tags) const;

  std::int32_t answer(const std::string& name) const;
  const std::vector<std::string>& names() const { return names_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }

 private:
  void add_word(std::string_view word, Example& example) const;
  void add_pieces(std::string_view word, Example& example) const;
  void add_spelling(std::string_view word, Example& example) const;
  void cut(Example& example) const;
  void add_clues(Example& example) const;

  TextInputOptions options_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<std::string> names_;  // of the answers
  std::unordered_map<std::string, std::int32_t> answers_;
};

}  // namespace heed
