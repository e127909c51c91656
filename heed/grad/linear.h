#pragma once

#include <span>

#include "heed/grad/context.h"
#include "heed/grad/rotation.h"
#include "heed/kernel/activation.h"

namespace heed::grad {

using kernel::Activation;

// What follows the product of a linear layer, in the same pass over its result.
struct LinearEnd {
  Activation activation = Activation::kNone;
  SequenceDropout dropout{};
  Rotation rotation{};  // of queries and keys; not together with the others
};

// y = dropout(activation(x Wᵀ + b)):  x (rows, in), weight (out, in), bias (out) → (rows, out)
// `bias` may be empty (a Var without data). With a rotation the first columns of y are turned.
Var linear(Context& context, const Var& x, const Var& weight, const Var& bias,
           const LinearEnd& end = {});

// y = x W:  x (rows, in), weight (in, out) → (rows, out). For a table that is read both ways.
Var product(Context& context, const Var& x, const Var& weight);

Var activation(Context& context, const Var& x, Activation kind);

// y = left ⊙ right, of one shape.
Var multiply(Context& context, const Var& left, const Var& right);

// y = a · left + b · right, of one shape.
Var add(Context& context, const Var& left, const Var& right, float a = 1.0f, float b = 1.0f);

// y_i = w_i x_i: x (rows, columns), w (rows) constant.
Var scale_rows(Context& context, const Var& x, std::span<const float> weights);

// y = dropout(x)
Var dropout(Context& context, const Var& x, const SequenceDropout& dropout);

}  // namespace heed::grad
