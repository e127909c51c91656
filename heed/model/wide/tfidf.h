#pragma once

#include <memory>
#include <string_view>

#include "heed/base/lazy_lists.h"
#include "heed/data/text/char_ngrams.h"
#include "heed/data/text/unicode.h"
#include "heed/data/text/vocabulary.h"
#include "heed/data/text/word_pairs.h"
#include "heed/model/wide.h"

namespace heed {

// Character n-grams of each word, as CharNgrams has them.
struct TfidfNgramOptions {
  Index most = 100000;  // that have a score; 0: none
  Index shortest = 2, longest = 5;
  Index min_count = 3;  // those seen less often have no score
  Index entries = 0;    // how many there are, once they are counted
};

struct TfidfOptions {
  Index words = 200000;       // single words that have a score, at most
  Index pairs = 300000;       // pairs of neighbouring words (bigrams), at most
  Index min_count = 1;        // words seen less often have none
  Index pairs_min_count = 2;  // pairs seen less often have none
  TfidfNgramOptions char_ngrams{};
  bool lowercase = true;
  UnicodeForm normalization = UnicodeForm::kNfkc;
  Index entries = 0;         // words, pairs and n-grams together, once they are counted
  Index every = 1;           // one text in so many is learned from, once that is known
  float svm = 4.0f;          // what the scores of the SVM are multiplied by
  float naive_bayes = 1.5f;  // and those of naive Bayes
  float balance = 1.0f;      // and these once more: learned from held-out examples, at most 1
  // And both beside the network, whose scores have a weight too: learned from held-out examples.
  float weight = 1.0f, network_weight = 1.0f;
};
template <class Archive>
void describe(Archive& archive, TfidfNgramOptions& options);
template <class Archive>
void describe(Archive& archive, TfidfOptions& options);

// A linear SVM (linear_svm.h) and complement naive Bayes (naive_bayes.h) over TF-IDF features of
// words, pairs of neighbouring words and character n-grams: what people would use in place of a
// network, beside it. They are learned before the network, which learns without them; in answers
// the scores add up.
//
// A feature's value is (1 + log how often it is in the text) · idf; idf is
// 1 + log((1 + texts) / (1 + texts that have it)). The words and pairs of a text together have the
// length √½, and so have its n-grams; without n-grams words and pairs have the length 1. The
// unknown word stands in every text, with the value 1: its scores are the bias.
//
// The scores are a table of features × classes: of many classes there are fewer features, the most
// frequent. Of more text than kMostBytes, an even part is learned from. Where all texts together
// would have more values than kMostValues, there are no n-grams: so much text needs them least, and
// learning takes 24 bytes for each.
class TfidfWide : public PartOf<TfidfWide, Wide, TfidfOptions> {
 public:
  // Columns of batch.wide.
  enum Column : std::size_t { kFeatures, kCounts };
  static constexpr Index kMostBytes = Index{32} << 20;
  static constexpr Index kMostScores = 25'000'000;
  static constexpr Index kMostValues = 30'000'000;
  static constexpr std::size_t kMostKept = 20'000;  // words whose n-grams are found only once

  bool reads(const Content& content) const override;
  void fit(const Dataset& train, Index classes) override;
  void prepare(const Content& content, Batch& batch) const override;
  std::string summary() const override;
  void balance(float factor) override { options_.balance *= factor; }
  void weigh(float weight, float network_weight) override {
    options_.weight *= weight;
    options_.network_weight *= network_weight;
  }
  float network_weight() const override { return options_.network_weight; }

  std::vector<std::string> files() const override {
    return {"wide_words.txt", "wide_pairs.txt", "wide_ngrams.txt"};
  }
  void save(const std::string& folder) const override;
  void load(const std::string& folder) override;

  std::unique_ptr<WideNetwork> network(const Scope& scope, Index classes) const override;

 private:
  struct Features {
    Vocabulary words;
    WordPairs pairs;
    Vocabulary ngrams;                 // its unknown one has a number, and is no feature
    LazyLists of_frequent{kMostKept};  // the n-grams of each of the most frequent words
  };
  Index expected_values(const Dataset& train) const;
  // The features of a word's n-grams; `known` is its place among the words.
  void append_ngrams(std::string_view word, std::int32_t known, CharNgrams& each,
                     std::vector<std::int32_t>& found) const;
  bool has_ngrams() const { return options_.char_ngrams.entries > 0; }
  std::shared_ptr<const Features> features_;
};

}  // namespace heed
