#include "heed/nn/key_value_cache.h"

#include <algorithm>

namespace heed::nn {
namespace {

// Each sequence of `now` with `before(s)` rows more.
template <typename Before>
Layout lengthened(Context& context, const Layout& now, Before before) {
  const auto lengths = context.arena().array<Index>(now.count());
  for (Index s = 0; s < now.count(); ++s) {
    lengths[static_cast<std::size_t>(s)] = before(static_cast<std::size_t>(s)) + now.length(s);
  }
  return Layout::of(context.arena(), lengths, now.first());
}

}  // namespace

Index KeyValueCache::length(Index sequence) const {
  return sequence >= 0 && sequence < static_cast<Index>(sequences_.size())
             ? sequences_[static_cast<std::size_t>(sequence)].rows->count
             : 0;
}

void KeyValueCache::reorder(std::span<const Index> sequences) {
  std::vector<Sequence> kept;
  kept.reserve(sequences.size());
  for (const Index sequence : sequences) {
    if (sequence < 0 || sequence >= static_cast<Index>(sequences_.size())) {
      fail<ShapeError>("cache", "expected one of {} sequences, got {}", sequences_.size(),
                       sequence);
    }
    kept.push_back(sequences_[static_cast<std::size_t>(sequence)]);
  }
  sequences_ = std::move(kept);
}

KeyValueCache::Rows& KeyValueCache::own(Sequence& sequence) {
  if (sequence.rows == nullptr) {
    sequence.rows = std::make_shared<Rows>();
  } else if (sequence.rows.use_count() > 1) {
    auto copy = std::make_shared<Rows>();
    // With the room of the others: it would be copied once more when it grows.
    copy->keys.reserve(sequence.rows->keys.capacity());
    copy->values.reserve(sequence.rows->values.capacity());
    *copy = *sequence.rows;
    sequence.rows = std::move(copy);
  }
  return *sequence.rows;
}

void KeyValueCache::expect(Index sequences, Index key_width, Index value_width) const {
  if (empty()) return;
  if (static_cast<Index>(sequences_.size()) != sequences) {
    fail<ShapeError>("attention", "the cache holds {} sequences, got {}", sequences_.size(),
                     sequences);
  }
  if (key_width_ != key_width || value_width_ != value_width) {
    fail<ShapeError>("attention",
                     "the cache holds keys of width {} and values of width {}, got {} and {}",
                     key_width_, value_width_, key_width, value_width);
  }
}

Layout KeyValueCache::asked(Context& context, const Layout& now) const {
  return lengthened(context, now,
                    [&](std::size_t s) { return empty() ? 0 : sequences_[s].queries; });
}

Layout KeyValueCache::seen(Context& context, const Layout& now) const {
  return lengthened(context, now,
                    [&](std::size_t s) { return empty() ? 0 : sequences_[s].rows->count; });
}

void KeyValueCache::add(const Memory& rows, Index key_width, Index value_width) {
  key_width_ = key_width;
  value_width_ = value_width;
  sequences_.resize(static_cast<std::size_t>(rows.layout.count()));
  for (Index s = 0; s < rows.layout.count(); ++s) {
    Rows& kept = own(sequences_[static_cast<std::size_t>(s)]);
    kept.count += rows.layout.length(s);
    for (Index i = rows.layout.begin(s); i < rows.layout.end(s); ++i) {
      const float* key = rows.keys.var.value.row(i) + rows.keys.begin;
      const float* value = rows.values.var.value.row(i) + rows.values.begin;
      kept.keys.insert(kept.keys.end(), key, key + key_width);
      kept.values.insert(kept.values.end(), value, value + value_width);
      kept.hidden.push_back(rows.hidden.empty() ? std::uint8_t{0}
                                                : rows.hidden[static_cast<std::size_t>(i)]);
      any_hidden_ = any_hidden_ || kept.hidden.back() != 0;
    }
  }
}

void KeyValueCache::ask(const Layout& queries) {
  for (Index s = 0; s < queries.count(); ++s) {
    sequences_[static_cast<std::size_t>(s)].queries += queries.length(s);
  }
}

KeyValueCache::Memory KeyValueCache::recall(Context& context, Index first) {
  Arena& arena = context.arena();
  const auto count = static_cast<Index>(sequences_.size());
  const auto lengths = arena.array<Index>(count);
  const auto kept = arena.array<grad::KeptRows>(count);
  for (std::size_t s = 0; s < sequences_.size(); ++s) {
    Rows& rows = *sequences_[s].rows;
    lengths[s] = rows.count;
    kept[s] = {rows.keys.data(), rows.values.data()};
  }
  const Layout layout = Layout::of(arena, lengths, first);
  std::span<std::uint8_t> hidden;
  if (any_hidden_) {
    hidden = arena.array<std::uint8_t>(layout.rows());
    for (Index s = 0; s < count; ++s) {
      const Rows& rows = *sequences_[static_cast<std::size_t>(s)].rows;
      std::copy(rows.hidden.begin(), rows.hidden.end(), hidden.begin() + layout.begin(s));
    }
  }
  return {{}, {}, layout, hidden, kept};
}

KeyValueCache::Memory KeyValueCache::copy(Context& context, Index first) {
  Memory all = recall(context, first);
  const Tensor keys = context.arena().tensor({all.layout.rows(), key_width_});
  const Tensor values = context.arena().tensor({all.layout.rows(), value_width_});
  for (Index s = 0; s < all.layout.count(); ++s) {
    const Rows& rows = *sequences_[static_cast<std::size_t>(s)].rows;
    std::copy(rows.keys.begin(), rows.keys.end(), keys.row(all.layout.begin(s)));
    std::copy(rows.values.begin(), rows.values.end(), values.row(all.layout.begin(s)));
  }
  all.keys = {{keys, -1}};
  all.values = {{values, -1}};
  all.kept = {};
  return all;
}

}  // namespace heed::nn
