#include "heed/nn/encoder.h"

#include <algorithm>

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

std::optional<Sequences> MemoryBank::recall(Context& context, std::size_t layer,
                                            const Sequences& now) const {
  if (layer >= layers_.size()) return std::nullopt;
  const Layer& kept = layers_[layer];
  if (static_cast<Index>(kept.lengths.size()) != now.layout.count()) {
    fail<ShapeError>("memory bank", "it holds {} sequences, got {}", kept.lengths.size(),
                     now.layout.count());
  }
  const Layout layout = Layout::of(context.arena(), kept.lengths, now.layout.first());
  const Tensor rows = context.arena().tensor({layout.rows(), now.width()});
  std::copy(kept.values.begin(), kept.values.end(), rows.data);
  return Sequences{{rows, -1}, layout};
}

void MemoryBank::keep(std::size_t layer, const std::optional<Sequences>& before,
                      const Sequences& now) {
  Layer next;
  const Index width = now.width();
  const auto append = [&](const Sequences& from, Index sequence, Index rows) {
    const float* end = from.rows.value.row(from.layout.end(sequence));
    next.values.insert(next.values.end(), end - rows * width, end);
  };
  for (Index s = 0; s < now.layout.count(); ++s) {
    const Index fresh = std::min(rows_, now.layout.length(s));
    const Index old = before ? std::min(rows_ - fresh, before->layout.length(s)) : 0;
    if (old > 0) append(*before, s, old);
    append(now, s, fresh);
    next.lengths.push_back(old + fresh);
  }
  layers_.resize(std::max(layers_.size(), layer + 1));
  layers_[layer] = std::move(next);
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

Sequences Encoder::operator()(Context& context, const Sequences& x, MemoryBank& bank) const {
  Sequences y = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::optional<Sequences> before = bank.recall(context, i, y);
    const Sequences in = y;
    y = layers_[i](context, in, {.bank = before ? &*before : nullptr});
    bank.keep(i, before, in);
  }
  return norm_ ? (*norm_)(context, y) : y;
}

Sequences Encoder::operator()(Context& context, const Sequences& x,
                              std::span<const Sequences> before,
                              std::span<Sequences> inputs) const {
  if (inputs.size() != layers_.size() || (!before.empty() && before.size() != layers_.size())) {
    fail<ShapeError>("encoder", "expected states for each of {} layers, got {} and {}", layers(),
                     before.size(), inputs.size());
  }
  Sequences y = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    inputs[i] = y;
    y = layers_[i](context, inputs[i], {.bank = before.empty() ? nullptr : &before[i]});
  }
  return norm_ ? (*norm_)(context, y) : y;
}

}  // namespace heed::nn
