#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed::decode {

struct TokenScore {
  std::int32_t token = 0;
  float log_probability = 0.0f;
};

// The `most` likeliest tokens of one row of logits, best first, equals by the smaller token.
// `never` is not among them, but counts where probabilities are made: it is a token like others.
void best_tokens(std::span<const float> logits, std::int32_t never, Index most,
                 std::vector<TokenScore>& best);

}  // namespace heed::decode
