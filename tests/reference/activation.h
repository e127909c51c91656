#pragma once

#include <cmath>

#include "heed/kernel/activation.h"
#include "tests/reference/matrix.h"

namespace heed::reference {

template <typename T>
T activate(kernel::Activation kind, const T& x) {
  using kernel::Activation;
  using std::erf;
  using std::tanh;
  switch (kind) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return x < T(0.0) ? T(0.0) : x;  // NaN stays NaN
    case Activation::kGelu:
      return x * T(0.5) * (T(1.0) + erf(x / T(std::sqrt(2.0))));
    case Activation::kSilu:
      return x * sigmoid(x);
    case Activation::kTanh:
      return tanh(x);
    case Activation::kSigmoid:
      return sigmoid(x);
  }
  return x;
}

}  // namespace heed::reference
