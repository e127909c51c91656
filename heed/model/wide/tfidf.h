#pragma once

#include <memory>
#include <string_view>

#include "heed/data/text/unicode.h"
#include "heed/data/text/vocabulary.h"
#include "heed/data/text/word_pairs.h"
#include "heed/model/wide.h"

namespace heed {

struct TfidfOptions {
  Index words = 200000;  // single words that have a score, at most
  Index pairs = 300000;  // pairs of neighbouring words (bigrams), at most
  Index min_count = 2;   // what is seen less often has none
  bool lowercase = true;
  UnicodeForm normalization = UnicodeForm::kNfkc;
  Index entries = 0;         // words and pairs together, once they are counted
  Index every = 1;           // one text in so many is learned from, once that is known
  float svm = 4.0f;          // what the scores of the SVM are multiplied by
  float naive_bayes = 1.5f;  // and those of naive Bayes
};
template <class Archive>
void describe(Archive& archive, TfidfOptions& options);

// A linear SVM (linear_svm.h) and complement naive Bayes (naive_bayes.h) over TF-IDF features of
// words and pairs of neighbouring words: what people would use in place of a network, beside it.
// They are learned before the network, which learns without them; in answers the scores add up.
//
// A feature's value is (1 + log how often it is in the text) · idf, the features of a text together
// of length 1; idf is 1 + log((1 + texts) / (1 + texts that have it)).
//
// The scores are a table of features × classes: of many classes there are fewer features, the most
// frequent. Of more text than kMostBytes, an even part is learned from.
class TfidfWide : public PartOf<TfidfWide, Wide, TfidfOptions> {
 public:
  // Columns of batch.wide.
  enum Column : std::size_t { kFeatures, kCounts };
  static constexpr Index kMostBytes = Index{64} << 20;
  static constexpr Index kMostScores = 25'000'000;

  bool reads(const Content& content) const override;
  void fit(const Dataset& train, Index classes) override;
  void prepare(const Content& content, Batch& batch) const override;
  std::string summary() const override;

  std::vector<std::string> files() const override { return {"wide_words.txt", "wide_pairs.txt"}; }
  void save(const std::string& folder) const override;
  void load(const std::string& folder) override;

  std::unique_ptr<WideNetwork> network(const Scope& scope, Index classes) const override;

 private:
  struct Features {
    Vocabulary words;
    WordPairs pairs;
  };
  std::shared_ptr<const Features> features_;
};

}  // namespace heed
