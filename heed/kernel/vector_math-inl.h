// Vector mathematics for Highway kernels. Included once for each instruction set, so it has no
// ordinary include guard.

#if defined(HEED_KERNEL_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNEL_VECTOR_MATH_INL_H_
#undef HEED_KERNEL_VECTOR_MATH_INL_H_
#else
#define HEED_KERNEL_VECTOR_MATH_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using OneFloat = hn::CappedTag<float, 1>;

// Calls body(d, i) for whole vectors and then for single lanes, so that no byte outside the row is
// ever touched.
template <class Body>
HWY_INLINE void ForEach(std::size_t count, Body body) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) body(d, i);
  const OneFloat one;
  for (; i < count; ++i) body(one, i);
}

// The sum of body(d, i) over a row.
template <class Body>
HWY_INLINE float SumOver(std::size_t count, Body body) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d);
  auto sum1 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    sum0 = hn::Add(sum0, body(d, i));
    sum1 = hn::Add(sum1, body(d, i + lanes));
  }
  if (i + lanes <= count) {
    sum0 = hn::Add(sum0, body(d, i));
    i += lanes;
  }
  float sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  const OneFloat one;
  for (; i < count; ++i) sum += hn::GetLane(body(one, i));
  return sum;
}

// 2ⁿ · v for integral n in −126 … 127, by adding n to the exponent.
template <class D, class V>
HWY_INLINE V ScaleByPowerOfTwo(D d, V v, V n) {
  const hn::RebindToSigned<D> di;
  const auto exponent = hn::ShiftLeft<23>(hn::ConvertTo(di, n));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, v), exponent));
}

// 2ˣ for x ≤ 127; below −126 exactly 0; NaN for NaN and −∞. Minimax polynomial of degree 5,
// relative error 8e-8.
template <class D, class V>
HWY_INLINE V Exp2(D d, V x) {
  // Adding 1.5 · 2²³ rounds to an integer and leaves it in the low bits, ready for the exponent.
  const hn::RebindToSigned<D> di;
  const auto magic = hn::Set(d, 12582912.0f);
  const auto shifted = hn::Add(hn::Max(x, hn::Set(d, -127.0f)), magic);
  const auto f = hn::Sub(x, hn::Sub(shifted, magic));
  auto p = hn::Set(d, 0.001327647129073739f);
  p = hn::MulAdd(p, f, hn::Set(d, 0.009675541892647743f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.05550713092088699f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.24022120237350464f));
  p = hn::MulAdd(p, f, hn::Set(d, 0.6931469440460205f));
  p = hn::MulAdd(p, f, hn::Set(d, 1.0f));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  const auto scaled = hn::BitCast(d, hn::Add(hn::BitCast(di, p), exponent));
  // x − x is 0, or NaN: what went wrong before must not become a weight of 0.
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, -126.0f)), scaled, hn::Sub(x, x));
}

// eˣ, relative error 2e-7 between −87 and 88; 0 below, held at e⁸⁸ above; NaN for NaN.
template <class D, class V>
HWY_INLINE V Exp(D d, V x) {
  const auto low = hn::Set(d, -87.0f);
  const auto clamped = hn::Min(hn::Max(x, low), hn::Set(d, 88.0f));
  const auto n = hn::Round(hn::Mul(clamped, hn::Set(d, 1.44269504088896341f)));
  // ln 2 in two parts, the first exact in its leading bits, so that r keeps its precision.
  auto r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), clamped);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  auto p = hn::Set(d, 0.0013836845755577087f);
  p = hn::MulAdd(p, r, hn::Set(d, 0.008374815806746483f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.04166822507977486f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.16666419804096222f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.49999991059303284f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const auto below = hn::IfThenElseZero(hn::IsNaN(x), x);
  return hn::IfThenElse(hn::Ge(x, low), ScaleByPowerOfTwo(d, p, n), below);
}

template <class D, class V>
HWY_INLINE V Sigmoid(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, Exp(d, hn::Neg(x))));
}

// tanh x = 1 − 2 / (e²ˣ + 1); near 0, where that cancels, its series up to x⁹.
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  const auto two = hn::Set(d, 2.0f);
  const auto far = hn::Sub(one, hn::Div(two, hn::Add(Exp(d, hn::Add(x, x)), one)));
  const auto s = hn::Mul(x, x);
  auto p = hn::Set(d, 62.0f / 2835.0f);
  p = hn::MulAdd(p, s, hn::Set(d, -17.0f / 315.0f));
  p = hn::MulAdd(p, s, hn::Set(d, 2.0f / 15.0f));
  p = hn::MulAdd(p, s, hn::Set(d, -1.0f / 3.0f));
  p = hn::MulAdd(p, s, one);
  return hn::IfThenElse(hn::Lt(hn::Abs(x), hn::Set(d, 0.35f)), hn::Mul(x, p), far);
}

// Φ(x), the normal distribution function: ½ (1 + erf(x / √2)), error 1e-7 (Abramowitz & Stegun
// 7.1.26), the lower tail computed without cancellation.
template <class D, class V>
HWY_INLINE V NormalDistribution(D d, V x) {
  const auto one = hn::Set(d, 1.0f);
  const auto z = hn::Mul(hn::Abs(x), hn::Set(d, 0.70710678118654752f));
  const auto t = hn::Div(one, hn::MulAdd(z, hn::Set(d, 0.3275911f), one));
  auto p = hn::Set(d, 1.061405429f);
  p = hn::MulAdd(p, t, hn::Set(d, -1.453152027f));
  p = hn::MulAdd(p, t, hn::Set(d, 1.421413741f));
  p = hn::MulAdd(p, t, hn::Set(d, -0.284496736f));
  p = hn::MulAdd(p, t, hn::Set(d, 0.254829592f));
  const auto tail =
      hn::Mul(hn::Mul(hn::Mul(p, t), hn::Set(d, 0.5f)), Exp(d, hn::Neg(hn::Mul(z, z))));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail));
}

// The density of the normal distribution, Φ'(x).
template <class D, class V>
HWY_INLINE V NormalDensity(D d, V x) {
  const auto half_square = hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5f));
  return hn::Mul(hn::Set(d, 0.39894228040143268f), Exp(d, half_square));
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
