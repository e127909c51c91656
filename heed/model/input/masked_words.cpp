#include "heed/model/input/masked_words.h"

#include <algorithm>

#include "heed/data/text/vocabulary.h"
#include "heed/grad/linear.h"
#include "heed/grad/loss.h"
#include "heed/grad/sequence.h"

namespace heed {

MaskedWords::MaskedWords(const Scope& scope, const MaskedWordOptions& options, Index width,
                         Index vocabulary)
    : weight_(options.weight), scores_(scope, width, std::min(options.words, vocabulary)) {}

Var MaskedWords::hide(Context& context, const Var& x, std::span<const std::int32_t> masked) {
  if (masked.empty()) return x;
  const auto seen = context.arena().array<float>(std::ssize(masked));
  std::transform(masked.begin(), masked.end(), seen.begin(),
                 [](std::int32_t token) { return token < 0 ? 1.0f : 0.0f; });
  return grad::scale_rows(context, x, seen);
}

Var MaskedWords::loss(Context& context, const Var& body, std::span<const std::int32_t> masked,
                      float divisor) const {
  const auto rows = context.arena().array<std::int32_t>(std::ssize(masked));
  const auto words = context.arena().array<std::int32_t>(std::ssize(masked));
  std::size_t count = 0;
  for (std::size_t row = 0; row < masked.size(); ++row) {
    // What an unknown or a rare word was cannot be told.
    if (masked[row] <= Vocabulary::kUnknown || masked[row] >= scores_.out()) continue;
    rows[count] = static_cast<std::int32_t>(row);
    words[count++] = masked[row];
  }
  if (count == 0 || weight_ == 0.0f) return {};
  const Var x = grad::select_rows(context, body, rows.first(count));  // (masked, width)
  const Var scores = scores_(context, x);                             // (masked, words)
  return grad::cross_entropy(context, scores, words.first(count), {.divisor = divisor / weight_});
}

}  // namespace heed
