#pragma once

#include <memory>

#include "heed/data/text/vocabulary.h"
#include "heed/model/wide.h"

namespace heed {

struct LinearCrfOptions {
  Index features = 500000;  // that have scores, at most
  Index min_count = 2;      // what is seen less often has none
  Index entries = 0;        // features, once they are counted
  Index every = 1;          // one sentence in so many is learned from, once that is known
  float l2 = 1.0f;          // of all scores, against the sum over the sentences
  float rate = 0.2f;        // at which it is learned, in the beginning
  Index epochs = 10;
  float weight = 0.7f;  // what its scores are multiplied by
};
template <class Archive>
void describe(Archive& archive, LinearCrfOptions& options);

// A linear-chain CRF over features of words (word_features.h): what taggers were before networks,
// beside one. It is learned before the network, which learns without it; in answers the logarithm
// of its probability of each tag in each row is added to the network's scores.
class LinearCrfWide : public PartOf<LinearCrfWide, Wide, LinearCrfOptions> {
 public:
  // Columns of batch.wide.
  enum Column : std::size_t { kFeatures, kCounts };  // all rows' one after another; of each row
  static constexpr Index kMostWords = 1'000'000;     // that are learned from
  static constexpr Index kMostScores = 25'000'000;

  bool reads(const Content& content) const override;
  bool scores_rows() const override { return true; }
  void fit(const Dataset& train, Index classes) override;
  void prepare(const Content& content, Batch& batch) const override;
  std::string summary() const override;

  std::vector<std::string> files() const override { return {"wide_features.txt"}; }
  void save(const std::string& folder) const override;
  void load(const std::string& folder) override;

  std::unique_ptr<WideNetwork> network(const Scope& scope, Index classes) const override;

 private:
  std::shared_ptr<const Vocabulary> features_;
};

}  // namespace heed
