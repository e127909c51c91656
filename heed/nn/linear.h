#pragma once

#include "heed/grad/linear.h"

namespace heed::nn {

using kernel::Activation;

// Floating-point work of a product (m, k) · (k, n). Layers count their forward pass with it,
// attention's two products included; look-ups, norms and activations count nothing.
inline double product_flops(Index m, Index n, Index k) {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

// y = x Wᵀ + b:  (rows, in) → (rows, out).  Parameters weight (out, in) and bias (out).
class Linear {
 public:
  enum class Bias { kNone, kLearned };

  Linear(const Scope& scope, Index in, Index out, Bias bias = Bias::kLearned);

  Var operator()(Context& context, const Var& x, const grad::LinearEnd& end = {}) const;
  Sequences operator()(Context& context, const Sequences& x,
                       const grad::LinearEnd& end = {}) const {
    return {(*this)(context, x.rows, end), x.layout};
  }

  // 2 m n k of its product, for so many rows.
  double flops(Index rows) const { return product_flops(rows, out(), in()); }

  Index in() const { return weight_->value.columns(); }
  Index out() const { return weight_->value.rows(); }

 private:
  const Parameter* weight_;
  const Parameter* bias_;
};

// Several linear layers of one input and one shape, computed as one product. Their parameters have
// names of their own: a.weight, b.weight, a.bias, b.bias.
class StackedLinear {
 public:
  StackedLinear(const Scope& scope, const std::vector<std::string>& names, Index in, Index out,
                Linear::Bias bias);

  // All results side by side: (rows, in) → (rows, names · out)
  Var operator()(Context& context, const Var& x, const grad::LinearEnd& end = {}) const;
  // One of them alone.
  Var one(Context& context, const Var& x, Index which) const;

 private:
  Var apply(Context& context, const Var& x, Index first, Index count,
            const grad::LinearEnd& end) const;

  const Parameters* parameters_;
  const Parameter* weight_;  // the first of the stack
  const Parameter* bias_;
  Index count_;
};

}  // namespace heed::nn
