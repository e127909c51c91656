#include "heed/nn/memory_bank.h"

#include <algorithm>
#include <memory>

namespace heed::nn {

MemoryBank::MemoryBank(Index rows) : rows_(rows) {
  if (rows < 0) fail<UsageError>("memory bank", "expected at least 0 rows, got {}", rows);
}

MemoryBank::MemoryBank(Context& context, Index layers, Index rows) : MemoryBank(rows) {
  in_context_ = context.arena().array<std::optional<Sequences>>(layers);
  std::uninitialized_fill(in_context_.begin(), in_context_.end(), std::nullopt);
}

void MemoryBank::clear() {
  layers_.clear();
  std::fill(in_context_.begin(), in_context_.end(), std::nullopt);
  next_ = {};
}

std::optional<Sequences> MemoryBank::recall(Context& context, std::size_t layer,
                                            const Sequences& now) const {
  std::optional<Sequences> kept;
  if (layer < in_context_.size()) kept = in_context_[layer];
  if (layer < layers_.size()) {
    const Layer& own = layers_[layer];
    const Layout layout = Layout::of(context.arena(), own.lengths, now.layout.first());
    const Tensor rows = context.arena().tensor({layout.rows(), own.width});
    std::copy(own.values.begin(), own.values.end(), rows.data);
    kept = Sequences{{rows, -1}, layout};
  }
  if (kept && (kept->layout.count() != now.layout.count() || kept->width() != now.width())) {
    fail<ShapeError>("memory bank", "it holds {} sequences of width {}, got {} of width {}",
                     kept->layout.count(), kept->width(), now.layout.count(), now.width());
  }
  return kept;
}

void MemoryBank::keep(Context& context, std::size_t layer, const std::optional<Sequences>& before,
                      const Sequences& now, std::span<const std::uint8_t> hidden) {
  const Sequences kept = newest(context.arena(), before, now, hidden);
  if (layer < in_context_.size()) {
    in_context_[layer] = kept;
    return;
  }
  layers_.resize(std::max(layers_.size(), layer + 1));
  Layer& own = layers_[layer];
  own.width = kept.width();
  own.values.assign(kept.rows.value.span().begin(), kept.rows.value.span().end());
  own.lengths.clear();
  for (Index s = 0; s < kept.layout.count(); ++s) own.lengths.push_back(kept.layout.length(s));
}

Sequences MemoryBank::newest(Arena& arena, const std::optional<Sequences>& before,
                             const Sequences& now, std::span<const std::uint8_t> hidden) const {
  const Layout& layout = now.layout;
  const auto seen = [&](Index row) {
    return hidden.empty() || hidden[static_cast<std::size_t>(row)] == 0;
  };
  const auto lengths = arena.array<Index>(layout.count());
  for (Index s = 0; s < layout.count(); ++s) {
    Index rows = before ? before->layout.length(s) : 0;
    for (Index i = layout.begin(s); i < layout.end(s); ++i) rows += seen(i) ? 1 : 0;
    const bool ends = next_.count() > 0 && next_.length(s) == 0;
    lengths[static_cast<std::size_t>(s)] = ends ? 0 : std::min(rows_, rows);
  }
  const Layout kept = Layout::of(arena, lengths, layout.first());
  const Index width = now.width();
  const Tensor rows = arena.tensor({kept.rows(), width});
  for (Index s = 0; s < kept.count(); ++s) {
    Index to = kept.end(s);  // from the last row to the first
    for (Index i = layout.end(s); i-- > layout.begin(s) && to > kept.begin(s);) {
      if (seen(i)) std::copy_n(now.rows.value.row(i), width, rows.row(--to));
    }
    if (to == kept.begin(s)) continue;
    const Index old = to - kept.begin(s);
    const float* end = before->rows.value.row(before->layout.end(s));
    std::copy(end - old * width, end, rows.row(kept.begin(s)));
  }
  return {{rows, -1}, kept};
}

}  // namespace heed::nn
