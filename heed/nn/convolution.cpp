#include "heed/nn/convolution.h"

#include <cmath>

namespace heed::nn {
namespace {

// Kaiming's uniform bound as PyTorch uses it, for weight and bias alike: 1 / √(numbers that an
// output reads).
Init init_for(Index fan_in) { return Init::uniform(1.0f / std::sqrt(static_cast<float>(fan_in))); }

}  // namespace

Convolution1d::Convolution1d(const Scope& scope, const Convolution1dOptions& options)
    : geometry_(options.geometry) {
  const Index groups = geometry_.groups;
  if (options.in < 1 || options.out < 1 || options.taps < 1 || groups < 1 ||
      options.in % groups != 0 || options.out % groups != 0) {
    fail<UsageError>("convolution1d",
                     "expected channels that are a multiple of the groups and at least 1 tap, got "
                     "{} to {} channels, {} groups, {} taps",
                     options.in, options.out, groups, options.taps);
  }
  const Index part = options.in / groups;
  const Init init = init_for(part * options.taps);
  weight_ = &scope.add("weight", {options.out, part, options.taps}, init);
  bias_ = &scope.add("bias", {options.out}, init, {.decay = false});
}

Sequences Convolution1d::operator()(Context& context, const Sequences& x) const {
  return grad::convolution1d(context, x, context.parameter(*weight_), context.parameter(*bias_),
                             geometry_);
}

Convolution2d::Convolution2d(const Scope& scope, const Convolution2dOptions& options)
    : geometry_(options.geometry) {
  const Extent& kernel = options.kernel;
  const Index groups = geometry_.groups;
  if (options.in < 1 || options.out < 1 || kernel.height < 1 || kernel.width < 1 || groups < 1 ||
      options.in % groups != 0 || options.out % groups != 0) {
    fail<UsageError>("convolution2d",
                     "expected channels that are a multiple of the groups and a kernel of at least "
                     "1 x 1, got {} to {} channels, {} groups and {} x {}",
                     options.in, options.out, groups, kernel.height, kernel.width);
  }
  const Index part = options.in / groups;
  const Init init = init_for(part * kernel.count());
  weight_ = &scope.add("weight", {options.out, part, kernel.height, kernel.width}, init);
  bias_ = &scope.add("bias", {options.out}, init, {.decay = false});
}

grad::Images Convolution2d::operator()(Context& context, const grad::Images& x) const {
  return grad::convolution2d(context, x, context.parameter(*weight_), context.parameter(*bias_),
                             geometry_);
}

NeighbourConvolution::NeighbourConvolution(const Scope& scope,
                                           const NeighbourConvolutionOptions& options) {
  if (options.dimensions == 1) {
    Convolution1dOptions line{.in = options.in, .out = options.out, .taps = options.taps};
    line.geometry.dilation = options.dilation;
    line_.emplace(scope, line.same());
    return;
  }
  const Index around = options.taps / 2;
  plane_.emplace(scope, Convolution2dOptions{.in = options.in,
                                             .out = options.out,
                                             .kernel = {options.taps, options.taps},
                                             .geometry = {.padding = {around, around}}});
}

Sequences NeighbourConvolution::operator()(Context& context, const Sequences& x) const {
  if (line_) return {(*line_)(context, x).rows, x.layout};
  return {(*plane_)(context, {x.rows, x.layout.grid()}).rows, x.layout};
}

}  // namespace heed::nn
