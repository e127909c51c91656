#pragma once

#include <functional>

#include "heed/decode/steps.h"

namespace heed::decode {

struct BeamOptions {
  SearchOptions search;
  Index beam = 5;  // hypotheses that are followed at a time; 1: greedy
  Index best = 1;  // how many are returned, at most as many as are followed
  // A hypothesis of n tokens, its end included, has the score log p / n^penalty: 0 prefers short
  // ones, 1 is the mean of a token.
  float length_penalty = 1.0f;
  // Called with each token of the best hypothesis, (sequence, token), as soon as it is certain:
  // when all hypotheses that are open or finished have it. With a beam of 1 that is at once. May be
  // empty.
  std::function<void(Index, std::int32_t)> written = {};
};

// Beam search for several sequences at once, `options.search.longest` having a number for each.
//
// In each step all continuations of a sequence's open hypotheses are ranked by their probability,
// equals by the earlier hypothesis, then by the smaller token. Those among the first `beam` that
// are the end are finished; of the others the first `beam` stay open. A sequence is done, and
// leaves the batch, when `beam` hypotheses are finished and score no less than the best open one
// does so far, or when its longest length is reached: what is open then is taken as it is.
Hypotheses beam_search(Steps& steps, const BeamOptions& options);

}  // namespace heed::decode
