#include "heed/decode/candidates.h"

#include <algorithm>
#include <cmath>

#include "heed/kernel/rows.h"

namespace heed::decode {
namespace {

bool better_score(const TokenScore& a, const TokenScore& b) {
  return a.log_probability != b.log_probability ? a.log_probability > b.log_probability
                                                : a.token < b.token;
}

}  // namespace

void best_tokens(std::span<const float> logits, std::int32_t never, Index most,
                 std::vector<TokenScore>& best) {
  const auto vocabulary = static_cast<Index>(logits.size());
  const kernel::LogSum sum = kernel::log_sum(vocabulary, logits.data());
  const float log_sum = sum.largest + std::log(sum.sum);
  best.clear();
  const auto count = static_cast<std::size_t>(std::clamp<Index>(most, 1, vocabulary));
  // A heap of the best so far, the worst of them on top: nearly all tokens fail at its threshold.
  float threshold = -std::numeric_limits<float>::infinity();
  for (std::int32_t token = 0; token < static_cast<std::int32_t>(vocabulary); ++token) {
    const float logit = logits[static_cast<std::size_t>(token)];
    if (!(logit > threshold) && best.size() == count) continue;
    if (token == never) continue;
    if (best.size() == count) {
      std::pop_heap(best.begin(), best.end(), better_score);
      best.pop_back();
    }
    best.push_back({token, logit});
    std::push_heap(best.begin(), best.end(), better_score);
    if (best.size() == count) threshold = best.front().log_probability;
  }
  std::sort_heap(best.begin(), best.end(), better_score);
  for (TokenScore& one : best) one.log_probability -= log_sum;
}

}  // namespace heed::decode
