#include "heed/nn/encoder.h"

#include <algorithm>

#include "heed/grad/linear.h"
#include "heed/grad/moving_average.h"
#include "heed/nn/kept_convolution.h"
#include "heed/nn/residual.h"

namespace heed::nn {
namespace {

Index odd(Index taps) {
  if (taps < 1 || taps % 2 == 0) {
    fail<UsageError>("encoder", "expected an odd number of taps, so that there is a middle, got {}",
                     taps);
  }
  return taps;
}

}  // namespace

Neighbours::Neighbours(const Scope& scope, const EncoderOptions& options)
    : dropout_(options.dropout),
      branch_(options.branch),
      recurrent_(options.convolution.recurrent),
      norm_(scope / "norm", options.attention.width, options.norm, options.epsilon),
      convolution_(scope / "taps", {.in = options.attention.width,
                                    .out = options.attention.width * (recurrent_ ? 2 : 1),
                                    .taps = odd(options.convolution.taps),
                                    .dimensions = options.convolution.dimensions}) {
  if (recurrent_ && options.convolution.dimensions != 1) {
    fail<UsageError>("encoder", "convolution.recurrent: pictures have no order, expected false");
  }
}

Var Neighbours::convolve(Context& context, const Sequences& x,
                         std::span<const std::uint8_t> hidden) const {
  const Activation activation = recurrent_ ? Activation::kNone : Activation::kRelu;
  if (convolution_.line() != nullptr && hidden.empty()) {
    const auto norm = [&](Context& inside, const Var& rows) { return norm_(inside, rows); };
    const std::optional<Var> kept =
        kept_convolution(context, x, *convolution_.line(), activation, norm);
    if (kept) return *kept;
  }
  Sequences normed = norm_(context, x);  // (rows, width)
  if (!hidden.empty()) {
    const auto seen = context.arena().array<float>(x.layout.rows());
    std::transform(hidden.begin(), hidden.end(), seen.begin(),
                   [](std::uint8_t is_hidden) { return is_hidden != 0 ? 0.0f : 1.0f; });
    normed.rows = grad::scale_rows(context, normed.rows, seen);
  }
  const Var mixed = convolution_(context, normed).rows;
  return recurrent_ ? mixed : grad::activation(context, mixed, activation);
}

Sequences Neighbours::operator()(Context& context, const Sequences& x,
                                 std::span<const std::uint8_t> hidden) const {
  if (convolution_.misses_pictures(x)) {
    fail<UsageError>("encoder",
                     "convolution.dimensions 2: expected pictures, got sequences; 1 is for these");
  }
  Var joined = convolve(context, x, hidden);
  if (recurrent_) joined = grad::moving_average(context, {joined, x.layout}, hidden);
  return add_residual(context, x, {joined, x.layout}, dropout_, branch_);
}

EncoderLayer::EncoderLayer(const Scope& scope, const EncoderOptions& options)
    : order_(options.order),
      dropout_(options.dropout),
      branch_(options.branch),
      attention_(scope / "attention", options.attention),
      feed_forward_(scope / "feed_forward",
                    options.feed_forward.with_width(options.attention.width)),
      norm1_(scope / "norm1", options.attention.width, options.norm, options.epsilon),
      norm2_(scope / "norm2", options.attention.width, options.norm, options.epsilon) {
  if (options.convolution.taps != 0) neighbours_.emplace(scope / "convolution", options);
}

Sequences EncoderLayer::with_neighbours(Context& context, const Sequences& x,
                                        std::span<const std::uint8_t> hidden) const {
  return neighbours_ ? (*neighbours_)(context, x, hidden) : x;
}

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
      add_residual(context, x, attention_(context, norm1_(context, x), normed), dropout_, branch_);
  return add_residual(context, attended, feed_forward_(context, norm2_(context, attended)),
                      dropout_, branch_);
}

Encoder::Encoder(const Scope& scope, const EncoderOptions& options) {
  if (options.layers < 1) {
    fail<UsageError>("encoder", "expected at least one layer, got {}", options.layers);
  }
  const Index convolving =
      options.convolution.layers > 0 ? options.convolution.layers : options.layers;
  EncoderOptions plain = options;
  plain.convolution.taps = 0;
  for (Index i = 0; i < options.layers; ++i) {
    layers_.emplace_back(scope / "layers" / i, i < convolving ? options : plain);
  }
  if (options.order == NormOrder::kPre && options.last_norm) {
    norm_.emplace(scope / "norm", options.attention.width, options.norm, options.epsilon);
  }
}

Sequences Encoder::operator()(Context& context, const Sequences& x,
                              std::span<const std::uint8_t> hidden) const {
  Sequences y = x;
  for (const EncoderLayer& layer : layers_) {
    y = layer(context, layer.with_neighbours(context, y, hidden), {.hidden = hidden});
  }
  return norm_ ? (*norm_)(context, y) : y;
}

Sequences Encoder::operator()(Context& context, const Sequences& x, MemoryBank& bank,
                              std::span<const std::uint8_t> hidden) const {
  Sequences y = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::optional<Sequences> before = bank.recall(context, i, y);
    const Sequences in = layers_[i].with_neighbours(context, y, hidden);
    y = layers_[i](context, in, {.bank = before ? &*before : nullptr, .hidden = hidden});
    bank.keep(context, i, before, in, hidden);
  }
  return norm_ ? (*norm_)(context, y) : y;
}

Sequences Encoder::operator()(Context& context, const Sequences& x, EncoderCache& cache) const {
  if (layers_.front().neighbours() != nullptr ||
      !layers_.front().attention().options().mask.causal) {
    fail<UsageError>("encoder",
                     "only a causal stack without convolutions can go on with sequences");
  }
  cache.layers_.resize(layers_.size());
  Sequences y = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    y = layers_[i](context, y, {.cache = &cache.layers_[i]});
  }
  return norm_ ? (*norm_)(context, y) : y;
}

double Encoder::flops(std::span<const Index> lengths) const {
  double sum = 0.0;
  for (const EncoderLayer& layer : layers_) {
    for (const Index rows : lengths) sum += layer.flops(rows);
  }
  return sum;
}

}  // namespace heed::nn
