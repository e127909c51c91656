#pragma once

#include <cstdint>
#include <span>

#include "heed/model/input/text_options.h"
#include "heed/nn/linear.h"

namespace heed {

// Predicts words that are hidden from the network, beside its answers, in training alone.
//   masked (rows): the token of a row that is masked, negative for the others; empty: none is.
//   Parameters: weight (words, width), bias (words).
class MaskedWords {
 public:
  MaskedWords(const Scope& scope, const MaskedWordOptions& options, Index width, Index vocabulary);

  // Masked rows become zero: (rows, width) → the same.
  static Var hide(Context& context, const Var& x, std::span<const std::int32_t> masked);
  // weight · the cross-entropy of the masked words, their sum divided by `divisor`, from the rows
  // of the body, (rows, width). No value where no word is masked.
  Var loss(Context& context, const Var& body, std::span<const std::int32_t> masked,
           float divisor) const;
  Index words() const { return scores_.out(); }

 private:
  float weight_;
  nn::Linear scores_;
};

}  // namespace heed
