#include "heed/kernel/activation.h"

// foreach_target includes this file once for each instruction set; the order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernel/activation.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "heed/kernel/dropout-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {

template <Activation kActivation, class D, class V>
HWY_INLINE V Value(D d, V x) {
  switch (kActivation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x);  // NaN stays NaN
    case Activation::kGelu:
      return hn::Mul(x, NormalDistribution(d, x));
    case Activation::kSilu:
      return hn::Mul(x, Sigmoid(d, x));
    case Activation::kTanh:
      return Tanh(d, x);
    case Activation::kSigmoid:
      return Sigmoid(d, x);
  }
}

//   gelu'(x) = Φ(x) + x φ(x)      silu'(x) = s (1 + x (1 − s)), s = sigmoid(x)
//   tanh'(x) = 1 − tanh²(x)       sigmoid'(x) = s (1 − s)
template <Activation kActivation, class D, class V>
HWY_INLINE V Slope(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  switch (kActivation) {
    case Activation::kNone:
    case Activation::kRelu:
      return one;
    case Activation::kGelu:
      return hn::MulAdd(x, NormalDensity(d, x), NormalDistribution(d, x));
    case Activation::kSilu: {
      const auto s = Sigmoid(d, x);
      return hn::Mul(s, hn::MulAdd(x, hn::Sub(one, s), one));
    }
    case Activation::kTanh: {
      const auto t = Tanh(d, x);
      return hn::NegMulAdd(t, t, one);
    }
    case Activation::kSigmoid: {
      const auto s = Sigmoid(d, x);
      return hn::Mul(s, hn::Sub(one, s));
    }
  }
}

template <Activation kActivation>
void ForwardRow(const ActivationJob& job, float* HWY_RESTRICT y, float* HWY_RESTRICT input) {
  ForEach(static_cast<std::size_t>(job.columns), [&](auto d, std::size_t i) HWY_ATTR {
    auto x = hn::LoadU(d, y + i);
    if (job.bias != nullptr) x = hn::Add(x, hn::LoadU(d, job.bias + i));
    if (needs_input(kActivation)) hn::StoreU(x, d, input + i);
    hn::StoreU(Value<kActivation>(d, x), d, y + i);
  });
}

template <Activation kActivation>
void BackwardRow(const ActivationJob& job, const float* HWY_RESTRICT y,
                 const float* HWY_RESTRICT input, float* HWY_RESTRICT dy,
                 float* HWY_RESTRICT dbias) {
  // Through dropout ReLU's output is 0 or a / (1 − rate): its sign tells both at once.
  const float keep = job.dropout.keep_factor();
  ForEach(static_cast<std::size_t>(job.columns), [&](auto d, std::size_t i) HWY_ATTR {
    auto da = hn::LoadU(d, dy + i);
    if (kActivation == Activation::kRelu) {
      const auto alive = hn::Gt(hn::LoadU(d, y + i), hn::Zero(d));
      da = hn::IfThenElseZero(alive, hn::Mul(da, hn::Set(d, keep)));
    } else if (kActivation != Activation::kNone) {
      da = hn::Mul(da, Slope<kActivation>(d, hn::LoadU(d, input + i)));
    }
    if (kActivation != Activation::kNone) hn::StoreU(da, d, dy + i);
    if (dbias != nullptr) hn::StoreU(hn::Add(hn::LoadU(d, dbias + i), da), d, dbias + i);
  });
}

template <Activation kActivation>
void ForwardRows(const ActivationJob& job, float* y, float* input) {
  for (Index row = 0; row < job.rows; ++row) {
    float* y_row = y + row * job.columns;
    ForwardRow<kActivation>(job, y_row,
                            needs_input(kActivation) ? input + row * job.columns : nullptr);
    if (job.dropout) DropoutInPlace(job.dropout, row, job.columns, y_row);
  }
}

template <Activation kActivation>
void BackwardRows(const ActivationJob& job, const float* y, const float* input, float* dy,
                  float* dbias) {
  for (Index row = 0; row < job.rows; ++row) {
    const Index at = row * job.columns;
    float* dy_row = dy + at;
    if (job.dropout && kActivation != Activation::kRelu) {
      DropoutInPlace(job.dropout, row, job.columns, dy_row);
    }
    BackwardRow<kActivation>(job, kActivation == Activation::kRelu ? y + at : nullptr,
                             needs_input(kActivation) ? input + at : nullptr, dy_row, dbias);
  }
}

void Forward(const ActivationJob& job, float* y, float* input) {
  switch (job.activation) {
    case Activation::kNone:
      return ForwardRows<Activation::kNone>(job, y, input);
    case Activation::kRelu:
      return ForwardRows<Activation::kRelu>(job, y, input);
    case Activation::kGelu:
      return ForwardRows<Activation::kGelu>(job, y, input);
    case Activation::kSilu:
      return ForwardRows<Activation::kSilu>(job, y, input);
    case Activation::kTanh:
      return ForwardRows<Activation::kTanh>(job, y, input);
    case Activation::kSigmoid:
      return ForwardRows<Activation::kSigmoid>(job, y, input);
  }
}

void Backward(const ActivationJob& job, const float* y, const float* input, float* dy,
              float* dbias) {
  switch (job.activation) {
    case Activation::kNone:
      return BackwardRows<Activation::kNone>(job, y, input, dy, dbias);
    case Activation::kRelu:
      return BackwardRows<Activation::kRelu>(job, y, input, dy, dbias);
    case Activation::kGelu:
      return BackwardRows<Activation::kGelu>(job, y, input, dy, dbias);
    case Activation::kSilu:
      return BackwardRows<Activation::kSilu>(job, y, input, dy, dbias);
    case Activation::kTanh:
      return BackwardRows<Activation::kTanh>(job, y, input, dy, dbias);
    case Activation::kSigmoid:
      return BackwardRows<Activation::kSigmoid>(job, y, input, dy, dbias);
  }
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernel {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

void activation_forward(const ActivationJob& job, float* y, float* input) {
  if (job.activation == Activation::kNone && job.bias == nullptr && !job.dropout) return;
  HWY_DYNAMIC_DISPATCH(Forward)(job, y, input);
}

void activation_backward(const ActivationJob& job, const float* y, const float* input, float* dy,
                         float* dbias) {
  if (job.activation == Activation::kNone && dbias == nullptr && !job.dropout) return;
  HWY_DYNAMIC_DISPATCH(Backward)(job, y, input, dy, dbias);
}

}  // namespace heed::kernel
#endif
