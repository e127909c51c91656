#pragma once

#include <memory>
#include <string_view>

#include "heed/data/text/unicode.h"
#include "heed/data/text/vocabulary.h"
#include "heed/data/text/word_pairs.h"
#include "heed/model/wide.h"

namespace heed {

struct TfidfOptions {
  Index words = 100000;  // single words that have a score, at most
  Index pairs = 100000;  // pairs of neighbouring words (bigrams), at most
  Index min_count = 1;   // what is seen less often has none
  bool lowercase = true;
  UnicodeForm normalization = UnicodeForm::kNfkc;
  Index entries = 0;         // words and pairs together, once they are counted
  float scale = 1.0f;        // the length of a text's TF-IDF vector
  float dropout = 0.0f;      // the chance that a feature is left out in training
  float naive_bayes = 0.2f;  // the weight of naive Bayes at the beginning; 0: none
  bool folded = false;       // naive Bayes and `scale` are in the weights, after training
};
template <class Archive>
void describe(Archive& archive, TfidfOptions& options);

// TF-IDF features of words and pairs of neighbouring words, with a linear layer and with complement
// naive Bayes (naive_bayes.h): what people would use in place of a network, beside it.
//
// A feature's value is (1 + log how often it is in the text) · idf, the features of a text together
// of length `scale`; idf is 1 + log((1 + texts) / (1 + texts that have it)).
class TfidfWide : public PartOf<TfidfWide, Wide, TfidfOptions> {
 public:
  // Columns of batch.wide.
  enum Column : std::size_t { kFeatures, kCounts };

  bool reads(const Content& content) const override;
  void fit(const Dataset& train) override;
  void prepare(const Content& content, Batch& batch) const override;
  std::string summary() const override;

  std::vector<std::string> files() const override { return {"wide_words.txt", "wide_pairs.txt"}; }
  void save(const std::string& folder) const override;
  void load(const std::string& folder) override;

  std::unique_ptr<WideNetwork> network(const Scope& scope, Index classes) const override;
  std::unique_ptr<Wide> for_answers() const override;
  void convert(const Scope& from, const Scope& to) const override;

 private:
  struct Features {
    Vocabulary words;
    WordPairs pairs;
  };
  std::shared_ptr<const Features> features_;
};

}  // namespace heed
