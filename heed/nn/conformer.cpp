#include "heed/nn/conformer.h"

#include "heed/grad/gate.h"
#include "heed/nn/residual.h"

namespace heed::nn {
namespace {

Convolution1dOptions depthwise(const ConformerOptions& options) {
  if (options.taps < 1 || options.taps % 2 == 0) {
    fail<UsageError>("conformer",
                     "expected an odd number of taps, so that there is a middle, got {}",
                     options.taps);
  }
  const Index width = options.attention.width;
  Convolution1dOptions result{.in = width, .out = width, .taps = options.taps};
  result.geometry.groups = width;
  return result.same();
}

FeedForwardOptions feed_forward(const ConformerOptions& options) {
  const Index width = options.attention.width;
  return {.width = width,
          .hidden = options.hidden == 0 ? 4 * width : options.hidden,
          .activation = Activation::kSilu,
          .dropout = options.dropout};
}

}  // namespace

ConvolutionModule::ConvolutionModule(const Scope& scope, const ConformerOptions& options)
    : norm1_(scope / "norm1", options.attention.width, Norm::kLayer, options.epsilon),
      in_(scope / "in", options.attention.width, 2 * options.attention.width),
      depthwise_(scope / "depthwise", depthwise(options)),
      norm2_(scope / "norm2", options.attention.width, Norm::kLayer, options.epsilon),
      out_(scope / "out", options.attention.width, options.attention.width) {}

Sequences ConvolutionModule::operator()(Context& context, const Sequences& x) const {
  const Sequences both = in_(context, norm1_(context, x));              // (rows, 2 · width)
  const Sequences gated{grad::glu(context, both.rows), x.layout};       // (rows, width)
  const Sequences mixed = norm2_(context, depthwise_(context, gated));  // (rows, width)
  const Var active = grad::activation(context, mixed.rows, Activation::kSilu);  // (rows, width)
  return out_(context, Sequences{active, x.layout});
}

ConformerLayer::ConformerLayer(const Scope& scope, const ConformerOptions& options)
    : dropout_(options.dropout),
      feed_forward1_(scope / "feed_forward1", feed_forward(options)),
      attention_(scope / "attention", options.attention),
      convolution_(scope / "convolution", options),
      feed_forward2_(scope / "feed_forward2", feed_forward(options)),
      norm1_(scope / "norm1", options.attention.width, Norm::kLayer, options.epsilon),
      norm2_(scope / "norm2", options.attention.width, Norm::kLayer, options.epsilon),
      norm3_(scope / "norm3", options.attention.width, Norm::kLayer, options.epsilon),
      norm4_(scope / "norm4", options.attention.width, Norm::kLayer, options.epsilon) {}

Sequences ConformerLayer::operator()(Context& context, const Sequences& x) const {
  Sequences y =
      add_residual(context, x, feed_forward1_(context, norm1_(context, x)), dropout_, 0.5f);
  y = add_residual(context, y, attention_(context, norm2_(context, y)), dropout_);
  y = add_residual(context, y, convolution_(context, y), dropout_);
  y = add_residual(context, y, feed_forward2_(context, norm3_(context, y)), dropout_, 0.5f);
  return norm4_(context, y);
}

Conformer::Conformer(const Scope& scope, const ConformerOptions& options) {
  if (options.layers < 1) {
    fail<UsageError>("conformer", "expected at least one layer, got {}", options.layers);
  }
  for (Index i = 0; i < options.layers; ++i) layers_.emplace_back(scope / "layers" / i, options);
}

Sequences Conformer::operator()(Context& context, const Sequences& x) const {
  Sequences y = x;
  for (const ConformerLayer& layer : layers_) y = layer(context, y);
  return y;
}

}  // namespace heed::nn
