#pragma once

#include <functional>

#include "heed/decode/steps.h"

namespace heed::decode {

struct SampleOptions {
  SearchOptions search;
  float temperature = 1.0f;  // logits are divided by it; 0: always the most likely token
  Index top_k = 0;           // only the k most likely tokens; 0: all
  float top_p = 1.0f;        // only the most likely tokens that have this probability together
  std::uint64_t seed = 1;
  // What is drawn for a sequence is a function of the seed and of this number; empty: of its place.
  std::vector<std::uint64_t> streams = {};
  // Called with each token as it is written: (sequence, token). May be empty.
  std::function<void(Index, std::int32_t)> written = {};
};

// One sequence each, drawn token by token. What is drawn for a sequence does not depend on the
// others.
Hypotheses sample(Steps& steps, const SampleOptions& options);

}  // namespace heed::decode
