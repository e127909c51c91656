#pragma once

#include <span>
#include <vector>

#include "heed/grad/loss.h"

namespace heed::grad {

// A linear chain over tags (Lafferty et al. 2001): a sequence of n rows with tags y has the score
//
//   start[y_1] + Σ_t emissions[t, y_t] + Σ_t transitions[y_{t−1}, y_t] + end[y_n]
//
// and the probability e^score / Σ over all tag sequences of e^score.
struct CrfParameters {
  Var transitions;  // (tags, tags), from the row's tag to the column's
  Var start, end;   // (tags)
};

// −Σ log p(targets) over the sequences, divided by options.divisor or the number of sequences.
//   emissions (rows, tags), targets (rows) → a single number
// Every row has a target; smoothing and class weights do not apply to whole sequences and are
// refused. An empty sequence is a ShapeError.
Var crf(Context& context, const Sequences& emissions, const CrfParameters& parameters,
        std::span<const std::int32_t> targets, const LossOptions& options = {});

// The probability of each tag in each row, whatever the tags of the others are: (rows, tags), in
// the arena of the context. Nothing is recorded.
Tensor crf_marginals(Context& context, const Sequences& emissions, const CrfParameters& parameters);

// The most probable tags of each sequence, one for each row (Viterbi 1967). Only values are read
// and nothing is recorded.
std::vector<std::int32_t> viterbi(const Sequences& emissions, const CrfParameters& parameters);

}  // namespace heed::grad
