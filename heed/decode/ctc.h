#pragma once

#include "heed/decode/steps.h"

namespace heed::decode {

struct CtcSearchOptions {
  std::int32_t blank = 0;
  std::int32_t never = -1;  // a token that is not written, such as the unknown one
  Index beam = 5;           // beginnings that are followed at a time; 1: see below
  Index best = 1;           // how many are returned
};

// The likeliest labels of one sequence under CTC (grad/ctc.h): logits (rows, classes) → hypotheses,
// best first, their score being log p of the labels.
//
// Prefix beam search (Graves 2012): in each row the likeliest beginnings are followed, each with
// the probability of all paths that give it. With a beam of 1 it is the best path, the likeliest
// class of each row, of which runs are made one and blanks are left out; its score is that of this
// path alone.
std::vector<Hypothesis> ctc_search(const Tensor& logits, const CtcSearchOptions& options);

}  // namespace heed::decode
