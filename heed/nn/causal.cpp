#include "heed/nn/causal.h"

namespace heed::nn {

CausalStack::CausalStack(const Scope& scope, EncoderOptions options) {
  if (options.layers < 1) {
    fail<UsageError>("decoder", "expected at least one layer, got {}", options.layers);
  }
  options.attention.mask.causal = true;
  options.convolution = {};  // it would look ahead
  for (Index i = 0; i < options.layers; ++i) layers_.emplace_back(scope / "layers" / i, options);
  if (options.order == NormOrder::kPre) {
    norm_.emplace(scope / "norm", options.attention.width, options.norm, options.epsilon);
  }
}

Sequences CausalStack::operator()(Context& context, const Sequences& x) const {
  Sequences y = x;
  for (const EncoderLayer& layer : layers_) y = layer(context, y);
  return norm_ ? (*norm_)(context, y) : y;
}

Sequences CausalStack::operator()(Context& context, const Sequences& x, CausalCache& cache) const {
  cache.layers_.resize(layers_.size());
  Sequences y = x;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    y = layers_[i](context, y, {.cache = &cache.layers_[i]});
  }
  return norm_ ? (*norm_)(context, y) : y;
}

double CausalStack::flops(Index rows) const {
  double sum = 0.0;
  for (const EncoderLayer& layer : layers_) sum += layer.flops(rows);
  return sum;
}

}  // namespace heed::nn
