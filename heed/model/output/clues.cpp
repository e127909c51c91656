#include "heed/model/output/clues.h"

#include <cmath>

#include "heed/grad/linear.h"
#include "heed/grad/pool.h"

namespace heed {
namespace {

constexpr float kDeviation = 1e-4f;  // clues say nothing until they have learned

}  // namespace

Clues::Clues(const Scope& scope, const Scope& counted, const Config& config)
    : options_(config.text.clues),
      scores_(scope, std::max<Index>(1, options_.entries),
              static_cast<Index>(config.output.names.size()), kDeviation),
      idf_(&add_counted(counted, "idf", {scores_.vocabulary()}, 1.0f)) {
  if (options_.counted > 0.0f) counted_.emplace(scope, counted, config);
}

void weigh_clues(std::span<const std::int32_t> clues, std::span<const std::int32_t> counts,
                 const Tensor& idf, std::span<float> weights) {
  double squares = 0.0;
  for (std::size_t i = 0; i < clues.size(); ++i) {
    weights[i] = (1.0f + std::log(static_cast<float>(counts[i]))) * idf[clues[i]];
    squares += static_cast<double>(weights[i]) * static_cast<double>(weights[i]);
  }
  const auto inverse = static_cast<float>(1.0 / std::sqrt(squares + 1e-12));
  for (float& weight : weights) weight *= inverse;
}

std::span<const float> Clues::weights(Context& context, const BatchPart& part,
                                      const Layout& layout) const {
  const auto weights = context.arena().array<float>(layout.rows());
  for (Index s = 0; s < layout.count(); ++s) {
    const auto begin = static_cast<std::size_t>(layout.begin(s));
    const auto count = static_cast<std::size_t>(layout.length(s));
    weigh_clues(part.clues.subspan(begin, count), part.clue_counts.subspan(begin, count),
                idf_->value, weights.subspan(begin, count));
  }
  return weights;
}

std::span<const float> Clues::drawn(Context& context, const Layout& layout,
                                    std::span<const float> weights) const {
  Arena& arena = context.arena();
  const auto scaled = arena.array<float>(layout.rows());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = options_.scale * weights[i];
  const kernel::Dropout dropout = context.dropout(options_.dropout);
  for (Index s = 0; s < layout.count() && dropout; ++s) {
    const Index length = layout.length(s);
    const auto kept = arena.array<float>(length + kernel::kDropoutBlock);
    kernel::dropout_factors(dropout.sequence(layout.first() + s), 0, 0, length, length,
                            kept.data());
    for (Index i = 0; i < length; ++i) {
      scaled[static_cast<std::size_t>(layout.begin(s) + i)] *= kept[static_cast<std::size_t>(i)];
    }
  }
  return scaled;
}

Var Clues::operator()(Context& context, const BatchPart& part) const {
  const Layout layout = Layout::of(context.arena(), part.clue_lengths, part.first());
  const std::span<const float> weights = this->weights(context, part, layout);
  const Sequences each = scores_(context, part.clues, layout);  // (clues, classes)
  const Var weighted = grad::scale_rows(context, each.rows, drawn(context, layout, weights));
  const Var learned =
      grad::pool(context, {weighted, layout}, grad::Pool::kSum);  // (sequences, classes)
  if (!counted_) return learned;
  return grad::add(context, learned, (*counted_)(context, part, layout, weights));
}

}  // namespace heed
