#include "heed/model/output/clues.h"

#include <cmath>

#include "heed/grad/linear.h"
#include "heed/grad/pool.h"

namespace heed {
namespace {

constexpr float kDeviation = 1e-4f;  // clues say nothing until they have learned

}  // namespace

Clues::Clues(const Scope& scope, const Config& config)
    : options_(config.text.clues),
      scores_(scope, std::max<Index>(1, options_.entries),
              static_cast<Index>(config.output.names.size()), kDeviation),
      idf_(&scope.add("idf", {scores_.vocabulary()}, Init::constant(1.0f), {.frozen = true})) {}

std::span<const float> Clues::weights(Context& context, const BatchPart& part,
                                      const Layout& layout) const {
  const auto weights = context.arena().array<float>(layout.rows());
  const kernel::Dropout dropout = context.dropout(options_.dropout);
  for (Index s = 0; s < layout.count(); ++s) {
    const Index length = layout.length(s);
    double squares = 0.0;
    for (Index i = layout.begin(s); i < layout.end(s); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const float often = 1.0f + std::log(static_cast<float>(part.clue_counts[row]));
      weights[row] = often * idf_->value[part.clues[row]];
      squares += static_cast<double>(weights[row]) * static_cast<double>(weights[row]);
    }
    const auto factor = static_cast<float>(options_.scale / std::sqrt(squares + 1e-12));
    float* kept = nullptr;
    if (dropout) {
      kept = context.arena().array<float>(length + kernel::kDropoutBlock).data();
      kernel::dropout_factors(dropout.sequence(layout.first() + s), 0, 0, length, length, kept);
    }
    for (Index i = 0; i < length; ++i) {
      weights[static_cast<std::size_t>(layout.begin(s) + i)] *=
          kept == nullptr ? factor : factor * kept[i];
    }
  }
  return weights;
}

Var Clues::operator()(Context& context, const BatchPart& part) const {
  const Layout layout = Layout::of(context.arena(), part.clue_lengths, part.first());
  const Sequences each = scores_(context, part.clues, layout);  // (clues, classes)
  const Var weighted = grad::scale_rows(context, each.rows, weights(context, part, layout));
  return grad::pool(context, {weighted, layout}, grad::Pool::kSum);  // (sequences, classes)
}

}  // namespace heed
