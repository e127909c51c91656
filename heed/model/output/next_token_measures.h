#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/data/text/tokenizer.h"
#include "heed/eval/bootstrap.h"
#include "heed/model/output.h"

namespace heed {

// How well texts were predicted: perplexity per word and per token, and bits per character. The end
// of a text is predicted too, and counts as a word, a token and a character. Words are what stands
// between white space.
class NextTokenMeasures : public Measures {
 public:
  explicit NextTokenMeasures(std::shared_ptr<const Tokenizer> tokenizer)
      : tokenizer_(std::move(tokenizer)) {}

  void add(const Answer& truth, const Prediction& prediction) override;
  // 1 / perplexity per word: the geometric mean of the probability that a word was given.
  double score() const override;
  std::string score_name() const override { return "perplexity per word"; }
  std::vector<NamedScore> scores() const override {
    return {{score_name(), score(), ScoreForm::kInverse}};
  }
  std::string report() const override;
  void write(const JsonPlace& place) const override;

 private:
  struct Counts {
    double loss = 0.0;
    Index tokens = 0, words = 0, characters = 0;
  };
  Counts sum() const;
  // With its interval: texts are drawn again.
  Measure per_word() const;

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<Counts> texts_;
};

}  // namespace heed
