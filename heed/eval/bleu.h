#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "heed/eval/bootstrap.h"
#include "heed/eval/tokens.h"

namespace heed {

// BLEU of a corpus (Papineni et al. 2002) with one reference for each sentence, as sacreBLEU
// computes it: n-grams up to 4, the brevity penalty, `exp` smoothing, effective order off, case as
// it is. tests/golden/sacrebleu.json holds what sacreBLEU says.
class Bleu {
 public:
  static constexpr std::size_t kOrder = 4;

  explicit Bleu(ScoreTokens tokens = ScoreTokens::k13a) : tokens_(tokens) {}

  void add(std::string_view hypothesis, std::string_view reference);

  // What is counted in sentences, and added up over them.
  struct Counts {
    Index hypothesis = 0, reference = 0;  // tokens
    std::array<Index, kOrder> correct{}, total{};

    void add(const Counts& other, Index times = 1);
    double brevity() const;
    std::array<double, kOrder> precisions() const;  // in percent, smoothed
    double score() const;                           // 0 to 100
  };
  const Counts& counts() const { return all_; }
  double score() const { return all_.score(); }
  // With an interval over sentences.
  Measure measure(const BootstrapOptions& options = {}) const;

  // "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0": the version of sacreBLEU that the
  // scores agree with.
  std::string signature() const;

 private:
  ScoreTokens tokens_;
  Counts all_;
  std::vector<Counts> sentences_;
};

// chrF2: F-score of character n-grams up to 6 with recall counted twice, white space left out
// (Popović 2015), of a corpus and as sacreBLEU computes it.
class Chrf {
 public:
  static constexpr std::size_t kOrder = 6;

  void add(std::string_view hypothesis, std::string_view reference);
  double score() const;  // 0 to 100
  static std::string signature();

 private:
  struct Counts {
    Index hypothesis = 0, reference = 0, correct = 0;
  };
  std::array<Counts, kOrder> all_{};
};

}  // namespace heed
