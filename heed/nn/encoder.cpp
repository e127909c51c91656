#include "heed/nn/encoder.h"

#include "heed/nn/residual.h"

namespace heed::nn {
namespace {

FeedForwardOptions with_width(FeedForwardOptions options, Index width) {
  options.width = width;
  return options;
}

}  // namespace

EncoderLayer::EncoderLayer(const Scope& scope, const EncoderOptions& options)
    : order_(options.order),
      dropout_(options.dropout),
      attention_(scope / "attention", options.attention),
      feed_forward_(scope / "feed_forward",
                    with_width(options.feed_forward, options.attention.width)),
      norm1_(scope / "norm1", options.attention.width, options.norm, options.epsilon),
      norm2_(scope / "norm2", options.attention.width, options.norm, options.epsilon) {}

Sequences EncoderLayer::operator()(Context& context, const Sequences& x,
                                   const AttentionExtras& extras) const {
  if (order_ == NormOrder::kPost) {
    const Sequences attended = norm1_.add(context, x, attention_(context, x, extras), dropout_);
    return norm2_.add(context, attended, feed_forward_(context, attended), dropout_);
  }
  // The bank holds what went into the layer: it passes the same norm as x does.
  AttentionExtras normed = extras;
  Sequences bank;
  if (extras.bank != nullptr) {
    bank = norm1_(context, *extras.bank);
    normed.bank = &bank;
  }
  const Sequences attended =
      add_residual(context, x, attention_(context, norm1_(context, x), normed), dropout_);
  return add_residual(context, attended, feed_forward_(context, norm2_(context, attended)),
                      dropout_);
}

Encoder::Encoder(const Scope& scope, const EncoderOptions& options) {
  if (options.layers < 1) {
    fail<UsageError>("encoder", "expected at least one layer, got {}", options.layers);
  }
  for (Index i = 0; i < options.layers; ++i) layers_.emplace_back(scope / "layers" / i, options);
  if (options.order == NormOrder::kPre) {
    norm_.emplace(scope / "norm", options.attention.width, options.norm, options.epsilon);
  }
}

Sequences Encoder::operator()(Context& context, const Sequences& x,
                              std::span<const std::uint8_t> hidden) const {
  Sequences y = x;
  for (const EncoderLayer& layer : layers_) y = layer(context, y, {.hidden = hidden});
  return norm_ ? (*norm_)(context, y) : y;
}

Sequences Encoder::operator()(Context& context, const Sequences& x, MemoryBank& bank,
                              std::span<const std::uint8_t> hidden) const {
  Sequences y = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::optional<Sequences> before = bank.recall(context, i, y);
    const Sequences in = y;
    y = layers_[i](context, in, {.bank = before ? &*before : nullptr, .hidden = hidden});
    bank.keep(context, i, before, in, hidden);
  }
  return norm_ ? (*norm_)(context, y) : y;
}

}  // namespace heed::nn
