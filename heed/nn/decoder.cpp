#include "heed/nn/decoder.h"

#include "heed/nn/residual.h"

namespace heed::nn {
namespace {

AttentionOptions causal(AttentionOptions options) {
  options.mask.causal = true;
  return options;
}

AttentionOptions to_memory(const DecoderOptions& options) {
  AttentionOptions cross = options.cross_attention.value_or(options.attention);
  if (!options.cross_attention) {
    cross.mask = {};
    cross.position = Position::kNone;
    cross.memory_slots = 0;
  }
  cross.width = options.attention.width;
  cross.memory_width = options.memory_width;
  return cross;
}

}  // namespace

Index DecoderCache::length(Index sequence) const {
  return layers_.empty() ? 0 : layers_.front().self.length(sequence);
}

void DecoderCache::reorder(std::span<const Index> sequences) {
  for (Layer& layer : layers_) {
    layer.self.reorder(sequences);
    layer.cross.reorder(sequences);
  }
}

DecoderLayer::DecoderLayer(const Scope& scope, const DecoderOptions& options)
    : order_(options.order),
      dropout_(options.dropout),
      attention_(scope / "attention", causal(options.attention)),
      cross_attention_(scope / "cross_attention", to_memory(options)),
      feed_forward_(scope / "feed_forward",
                    options.feed_forward.with_width(options.attention.width)),
      norm1_(scope / "norm1", options.attention.width, options.norm, options.epsilon),
      norm2_(scope / "norm2", options.attention.width, options.norm, options.epsilon),
      norm3_(scope / "norm3", options.attention.width, options.norm, options.epsilon) {}

Sequences DecoderLayer::operator()(Context& context, const Sequences& x, const Sequences& memory,
                                   const DecoderPadding& padding) const {
  return decode(context, x, memory, padding, nullptr);
}

Sequences DecoderLayer::decode(Context& context, const Sequences& x, const Sequences& memory,
                               const DecoderPadding& padding, DecoderCache::Layer* cache) const {
  const AttentionExtras self{.cache = cache ? &cache->self : nullptr, .hidden = padding.rows};
  const AttentionExtras cross{.cache = cache ? &cache->cross : nullptr, .hidden = padding.memory};
  if (order_ == NormOrder::kPost) {
    const Sequences attended = norm1_.add(context, x, attention_(context, x, self), dropout_);
    const Sequences informed =
        norm2_.add(context, attended, cross_attention_(context, attended, memory, cross), dropout_);
    return norm3_.add(context, informed, feed_forward_(context, informed), dropout_);
  }
  const Sequences attended =
      add_residual(context, x, attention_(context, norm1_(context, x), self), dropout_);
  const Sequences informed =
      add_residual(context, attended,
                   cross_attention_(context, norm2_(context, attended), memory, cross), dropout_);
  return add_residual(context, informed, feed_forward_(context, norm3_(context, informed)),
                      dropout_);
}

Decoder::Decoder(const Scope& scope, const DecoderOptions& options) {
  if (options.layers < 1) {
    fail<UsageError>("decoder", "expected at least one layer, got {}", options.layers);
  }
  for (Index i = 0; i < options.layers; ++i) layers_.emplace_back(scope / "layers" / i, options);
  if (options.order == NormOrder::kPre) {
    norm_.emplace(scope / "norm", options.attention.width, options.norm, options.epsilon);
  }
}

Sequences Decoder::operator()(Context& context, const Sequences& x, const Sequences& memory,
                              const DecoderPadding& padding) const {
  Sequences y = x;
  for (const DecoderLayer& layer : layers_) y = layer(context, y, memory, padding);
  return norm_ ? (*norm_)(context, y) : y;
}

Sequences Decoder::operator()(Context& context, const Sequences& x, const Sequences& memory,
                              DecoderCache& cache, const DecoderPadding& padding) const {
  cache.layers_.resize(layers_.size());
  Sequences y = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    y = layers_[i].decode(context, y, memory, padding, &cache.layers_[i]);
  }
  return norm_ ? (*norm_)(context, y) : y;
}

}  // namespace heed::nn
