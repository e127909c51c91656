#include "heed/model/input/audio_network.h"

#include <fmt/format.h>

#include "heed/base/display.h"
#include "heed/grad/linear.h"

namespace heed {
namespace {

constexpr Index kTaps = 3;

}  // namespace

AudioNetwork::AudioNetwork(const Scope& scope, const AudioOptions& options, Index width)
    : options_(options), width_(width) {
  if (options.prenet == Prenet::kLinear) {
    prenet_.emplace(scope / "prenet", options.bands * options.stride, width);
    return;
  }
  nn::Convolution1dOptions layer{.in = options.bands, .out = width, .taps = kTaps};
  layer.same();
  convolutions_.emplace_back(scope / "convolutions" / Index{0}, layer);
  layer.in = width;
  layer.geometry.stride = 2;
  for (Index left = options.stride; left > 1; left /= 2) {
    convolutions_.emplace_back(scope / "convolutions" / std::ssize(convolutions_), layer);
  }
}

Sequences AudioNetwork::operator()(Context& context, const Batch& batch) const {
  const std::span<const float> frames = batch.input.numbers(0).values();
  const Index bands = options_.bands;
  const Index columns = prenet_ ? bands * options_.stride : bands;
  // Nothing writes into a constant.
  const Tensor value{const_cast<float*>(frames.data()),
                     {static_cast<Index>(frames.size()) / columns, columns}};
  const Layout rows = Layout::of(context.arena(), batch.lengths, batch.first);
  const Var x = context.constant(value, "features");  // (rows, stride · bands) or (frames, bands)
  if (prenet_) {
    return {(*prenet_)(context, x, {.dropout = context.dropout(options_.dropout, rows)}), rows};
  }
  const auto lengths = context.arena().copy(std::span<const Index>(batch.lengths));
  for (Index& length : lengths) length *= options_.stride;
  Sequences y{x, Layout::of(context.arena(), lengths, batch.first)};
  for (const nn::Convolution1d& convolution : convolutions_) {
    y = convolution(context, y);  // half as many rows, but for the first
    y.rows = grad::activation(context, y.rows, kernel::Activation::kGelu);
  }
  return {grad::dropout(context, y.rows, context.dropout(options_.dropout, rows)), rows};
}

void AudioNetwork::describe(Plan& plan) const {
  const Index frames = plan.rows() * options_.stride;
  const LogMelSettings settings = options_.settings();
  plan.add(
      "log-mel", {frames, options_.bands},
      {.note = fmt::format("{} Hz, window {:g} ms, hop {:g} ms, norm {}",
                           with_commas(static_cast<Index>(settings.rate)), 1e3 * settings.window,
                           1e3 * settings.hop, name_of(options_.norm))});
  if (prenet_) {
    plan.add("prenet", {plan.rows(), width_},
             {"prenet", prenet_->flops(plan.rows()),
              options_.stride == 1 ? std::string("linear")
                                   : fmt::format("linear, {} frames to a row", options_.stride)});
    return;
  }
  Index rows = frames;
  for (std::size_t i = 0; i < convolutions_.size(); ++i) {
    if (i > 0) rows /= 2;
    plan.add("convolution", {rows, width_},
             {fmt::format("convolutions.{}", i), convolutions_[i].flops(rows),
              fmt::format("{} taps, {}gelu", kTaps, i > 0 ? "stride 2, " : "")});
  }
}

}  // namespace heed
