#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// The fewest words to insert, delete or replace to make one of the two the other (Levenshtein).
Index edit_distance(std::span<const std::string> from, std::span<const std::string> to);

// Errors of a corpus: edits, divided by what the references have. It may be above 1. A text's words
// stand between white space, its characters are those that stay when its ends are trimmed.
class ErrorRate {
 public:
  enum class Unit { kWords, kCharacters };
  explicit ErrorRate(Unit unit) : unit_(unit) {}

  void add(std::string_view hypothesis, std::string_view reference);
  Index edits() const { return edits_; }
  Index reference() const { return reference_; }
  double rate() const;  // 0 where nothing is there and nothing was said

 private:
  Unit unit_;
  Index edits_ = 0, reference_ = 0;
};

// ROUGE (Lin 2004): the mean over texts of the F1 of shared words, of shared pairs of words, and of
// the longest common subsequence. Words are letters and digits in lower case, without stemming, as
// the package rouge-score has them, but of every script.
class Rouge {
 public:
  void add(std::string_view hypothesis, std::string_view reference);
  double rouge1() const { return mean(one_); }
  double rouge2() const { return mean(two_); }
  double rouge_l() const { return mean(longest_); }  // each 0 to 1

 private:
  double mean(double sum) const { return count_ == 0 ? 0.0 : sum / static_cast<double>(count_); }

  double one_ = 0.0, two_ = 0.0, longest_ = 0.0;
  Index count_ = 0;
};

// e to the mean loss of a token: over how many equally likely tokens the model is in doubt.
double perplexity(double loss_sum, double tokens);

}  // namespace heed
