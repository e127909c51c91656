#include "heed/nn/norm.h"

#include <cmath>

namespace heed::nn {

Normalization::Normalization(const Scope& scope, Index width, Norm kind, float epsilon)
    : kind_(kind), epsilon_(epsilon) {
  if (!(epsilon >= 0.0f && std::isfinite(epsilon))) {
    fail<UsageError>("norm", "expected an epsilon of at least 0, got {}", epsilon);
  }
  gain_ = &scope.add("weight", {width}, Init::constant(1.0f), {.decay = false});
  bias_ = kind == Norm::kLayer ? &scope.add("bias", {width}, Init::constant(0.0f), {.decay = false})
                               : nullptr;
}

grad::NormParameters Normalization::parameters(Context& context) const {
  return {kind_, context.parameter(*gain_), bias_ == nullptr ? Var{} : context.parameter(*bias_),
          epsilon_};
}

Var Normalization::operator()(Context& context, const Var& x) const {
  return grad::norm(context, x, parameters(context));
}

Sequences Normalization::add(Context& context, const Sequences& x, const Sequences& branch,
                             float dropout) const {
  return {grad::residual_norm(context, x.rows, branch.rows, parameters(context),
                              context.dropout(dropout, x.layout)),
          x.layout};
}

}  // namespace heed::nn
