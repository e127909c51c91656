#include "heed/nn/linear.h"

#include <cmath>

namespace heed::nn {

Linear::Linear(const Scope& scope, Index in, Index out, Bias bias) {
  if (in < 1 || out < 1) {
    fail<UsageError>("linear", "expected widths of at least 1, got {} and {}", in, out);
  }
  const float bound = 1.0f / std::sqrt(static_cast<float>(in));
  weight_ = &scope.add("weight", {out, in}, Init::uniform(bound));
  bias_ = bias == Bias::kLearned ? &scope.add("bias", {out}, Init::uniform(bound), {.decay = false})
                                 : nullptr;
}

Var Linear::operator()(Context& context, const Var& x, const grad::LinearEnd& end) const {
  return grad::linear(context, x, context.parameter(*weight_),
                      bias_ == nullptr ? Var{} : context.parameter(*bias_), end);
}

StackedLinear::StackedLinear(const Scope& scope, const std::vector<std::string>& names, Index in,
                             Index out, Linear::Bias bias)
    : parameters_(&scope.parameters()), bias_(nullptr), count_(static_cast<Index>(names.size())) {
  std::vector<std::string> weights, biases;
  for (const std::string& name : names) {
    weights.push_back((scope / name).path("weight"));
    biases.push_back((scope / name).path("bias"));
  }
  // Glorot & Bengio's bound, each projection on its own.
  const float bound = std::sqrt(6.0f / static_cast<float>(in + out));
  weight_ = &scope.parameters().add_stack(weights, {out, in}, Init::uniform(bound));
  if (bias == Linear::Bias::kLearned) {
    bias_ = &scope.parameters().add_stack(biases, {out}, Init::constant(0.0f), {.decay = false});
  }
}

Var StackedLinear::apply(Context& context, const Var& x, Index first, Index count,
                         const grad::LinearEnd& end) const {
  const Index out = weight_->value.rows(), in = weight_->value.columns();
  const Parameter& weight = (*parameters_)[weight_->number + first];
  Var bias;
  if (bias_ != nullptr) {
    bias = context.tape().parameters((*parameters_)[bias_->number + first], count, {count * out});
  }
  return grad::linear(context, x, context.tape().parameters(weight, count, {count * out, in}), bias,
                      end);
}

Var StackedLinear::operator()(Context& context, const Var& x, const grad::LinearEnd& end) const {
  return apply(context, x, 0, count_, end);
}

Var StackedLinear::one(Context& context, const Var& x, Index which) const {
  return apply(context, x, which, 1, {});
}

}  // namespace heed::nn
