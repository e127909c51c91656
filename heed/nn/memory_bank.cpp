#include "heed/nn/memory_bank.h"

#include <algorithm>

namespace heed::nn {

MemoryBank::MemoryBank(Index rows) : rows_(rows) {
  if (rows < 0) fail<UsageError>("memory bank", "expected at least 0 rows, got {}", rows);
}

std::optional<Sequences> MemoryBank::recall(Context& context, std::size_t layer,
                                            const Sequences& now) const {
  if (layer >= layers_.size()) return std::nullopt;
  const Layer& kept = layers_[layer];
  const auto count = static_cast<Index>(kept.lengths.size());
  if (count != now.layout.count() || kept.width != now.width()) {
    fail<ShapeError>("memory bank", "it holds {} sequences of width {}, got {} of width {}", count,
                     kept.width, now.layout.count(), now.width());
  }
  const Layout layout = Layout::of(context.arena(), kept.lengths, now.layout.first());
  const Tensor rows = context.arena().tensor({layout.rows(), kept.width});
  std::copy(kept.values.begin(), kept.values.end(), rows.data);
  return Sequences{{rows, -1}, layout};
}

void MemoryBank::keep(std::size_t layer, const std::optional<Sequences>& before,
                      const Sequences& now, std::span<const std::uint8_t> hidden) {
  Layer next;
  next.width = now.width();
  std::vector<const float*> newest;  // of one sequence, the last row first
  const auto look_back = [&](const Sequences& from, Index sequence, auto seen) {
    for (Index i = from.layout.end(sequence); i-- > from.layout.begin(sequence);) {
      if (static_cast<Index>(newest.size()) == rows_) return;
      if (seen(i)) newest.push_back(from.rows.value.row(i));
    }
  };
  for (Index s = 0; s < now.layout.count(); ++s) {
    newest.clear();
    look_back(now, s,
              [&](Index i) { return hidden.empty() || hidden[static_cast<std::size_t>(i)] == 0; });
    if (before) look_back(*before, s, [](Index) { return true; });
    for (std::size_t i = newest.size(); i-- > 0;) {
      next.values.insert(next.values.end(), newest[i], newest[i] + next.width);
    }
    next.lengths.push_back(static_cast<Index>(newest.size()));
  }
  layers_.resize(std::max(layers_.size(), layer + 1));
  layers_[layer] = std::move(next);
}

}  // namespace heed::nn
