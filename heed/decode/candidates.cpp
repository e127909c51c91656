#include "heed/decode/candidates.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "heed/kernel/rows.h"

namespace heed::decode {
namespace {

bool better_score(const TokenScore& a, const TokenScore& b) {
  return a.log_probability != b.log_probability ? a.log_probability > b.log_probability
                                                : a.token < b.token;
}

}  // namespace

// All that are among the best lie in the blocks with the largest maxima: with 8,000 tokens and ten
// that are wanted, eleven of 126 blocks are looked at. Looking at each token took 7 % of a beam
// search.
void best_tokens(std::span<const float> logits, std::int32_t never, Index most,
                 std::vector<TokenScore>& best) {
  const auto vocabulary = static_cast<Index>(logits.size());
  const Index blocks = (vocabulary + kernel::kMaximaBlock - 1) / kernel::kMaximaBlock;
  const auto count = static_cast<std::size_t>(std::clamp<Index>(most, 1, vocabulary));
  thread_local std::vector<float> maxima, sorted;
  maxima.resize(static_cast<std::size_t>(blocks));
  kernel::block_maxima(vocabulary, logits.data(), maxima.data());
  const float largest = *std::max_element(maxima.begin(), maxima.end());
  const float log_sum = largest + std::log(kernel::exp_sum(vocabulary, logits.data(), largest));
  float least = -std::numeric_limits<float>::infinity();
  // One more than are wanted: `never` may be the largest of its block. NaN has no order.
  if (count + 1 < maxima.size() && std::isfinite(log_sum)) {
    sorted = maxima;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<Index>(count), sorted.end(),
                     std::greater<>());
    least = sorted[count];
  }
  best.clear();
  // A heap of the best so far, the worst of them on top.
  float threshold = -std::numeric_limits<float>::infinity();
  for (Index block = 0; block < blocks; ++block) {
    if (maxima[static_cast<std::size_t>(block)] < least) continue;
    const Index end = std::min(vocabulary, (block + 1) * kernel::kMaximaBlock);
    for (Index i = block * kernel::kMaximaBlock; i < end; ++i) {
      const auto token = static_cast<std::int32_t>(i);
      const float logit = logits[static_cast<std::size_t>(i)];
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
  }
  std::sort_heap(best.begin(), best.end(), better_score);
  for (TokenScore& one : best) one.log_probability -= log_sum;
}

}  // namespace heed::decode
