#pragma once

#include <algorithm>
#include <memory>
#include <string_view>

#include "heed/base/lazy_lists.h"
#include "heed/data/text/vocabulary.h"
#include "heed/model/input.h"
#include "heed/model/input/text_options.h"

namespace heed {

// Text, as it is or divided into words: a tokenizer that is trained on the training texts, and a
// vector for each token (text_network.h).
class TextInput : public PartOf<TextInput, Input, TextOptions> {
 public:
  // Columns of batch.input; those of characters are there only where the options ask for them.
  enum Column : std::size_t {
    kTokens,           // one for each row
    kNgramCounts,      // character n-grams of each row's word
    kNgrams,           // their buckets, all rows' one after another
    kCharacterCounts,  // characters of each row's word
    kCharacterIds,     // all rows' one after another
    kSides,            // of pairs: which text each row is of
    kMasked,           // in training: the token of a row that is masked, or kNotMasked
  };
  // Two texts are read as one sequence: the rows of the first, a row that separates them, the rows
  // of the second.
  enum Side : std::int32_t { kFirstText, kSecondText, kSeparator, kSideCount };

  static constexpr std::int32_t kNotMasked = -1;

  bool reads(const Content& content) const override;
  void fit(const Dataset& train) override;
  void prepare(const Content& content, Batch& batch) const override;
  void prepare_prompt(const Content& content, Batch& batch) const override;
  Rows vary(Batch& batch, Random& random) const override;
  Index varied_length(Index rows) const override {
    return options_.crop > 0 && !options_.pairs ? std::min(rows, options_.crop) : rows;
  }
  std::string summary() const override;
  std::string row_problem() const override;
  std::string token_problem() const override;
  std::shared_ptr<const Tokenizer> shared_tokenizer() const override { return tokenizer_; }
  Index longest() const override { return options_.truncation; }
  bool knows(std::string_view word) const override;
  // Where all of a text is read.
  bool halve(const Content& content, Content& front, Content& back) const override;
  void set_dropout(float rate) override { options_.dropout = rate; }
  void apply(const SizePreset& size) override { options_.dropout = size.dropout; }

  std::vector<std::string> files() const override;
  void save(const std::string& folder) const override;
  void load(const std::string& folder) override;

  std::unique_ptr<InputNetwork> network(const Scope& scope, Index width) const override;
  void initialize(const Scope& scope, const FirstValues& from) const override;

  const Tokenizer& tokenizer() const { return *tokenizer_; }

 private:
  void begin_with_latent_vectors(const Parameter& words, std::uint64_t key,
                                 const FirstValues& from) const;
  enum class Keep { kBegin, kEnd };  // of what is too long
  void prepare(const Content& content, Batch& batch, Keep keep) const;
  std::string_view read_part(std::string_view text, Keep keep) const;
  void append_text(std::string_view text, Index most, Keep keep, Columns& columns) const;
  void append_pair(const Text& pair, Columns& columns) const;
  static void truncate(Ragged<std::int32_t>& tokens, Index before, Index most, Keep keep);
  void prepare_sentence(const std::vector<std::string>& words, Columns& columns) const;
  Rows crop(Batch& batch, Random& random) const;
  void mask(Batch& batch, Random& random) const;
  // `token` is the word's place in the vocabulary where it is written as there; otherwise unknown.
  void add_word(std::string_view word, Columns& columns,
                std::int32_t token = Vocabulary::kUnknown) const;
  void add_ngrams(std::string_view word, Columns& columns, std::int32_t token) const;
  void append_ngrams(std::string_view word, std::vector<std::int32_t>& buckets) const;
  void add_characters(std::string_view word, Columns& columns) const;

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::shared_ptr<const LazyLists> ngrams_of_frequent_;  // by token, of words of texts
};

}  // namespace heed
