#include "heed/kernel/convolution.h"

#include <algorithm>

// foreach_target includes this file once for each instruction set; the order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernel/convolution.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "heed/kernel/vector_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {

// Σ over the places where a row is read, in registers, for four vectors of channels from `to` on,
// or for one: left(i) and right(i) are the i-th pair of rows to multiply, left null where there is
// none.
template <class D, class Left, class Right>
HWY_INLINE void SumFour(D d, Index count, Left left, Right right, float* HWY_RESTRICT to,
                        Store store) {
  const std::size_t lanes = hn::Lanes(d);
  const bool add = store == Store::kAdd;
  auto sum0 = add ? hn::LoadU(d, to) : hn::Zero(d);
  auto sum1 = add ? hn::LoadU(d, to + lanes) : hn::Zero(d);
  auto sum2 = add ? hn::LoadU(d, to + 2 * lanes) : hn::Zero(d);
  auto sum3 = add ? hn::LoadU(d, to + 3 * lanes) : hn::Zero(d);
  for (Index i = 0; i < count; ++i) {
    const float* HWY_RESTRICT a = left(i);
    if (a == nullptr) continue;
    const float* HWY_RESTRICT b = right(i);
    sum0 = hn::MulAdd(hn::LoadU(d, a), hn::LoadU(d, b), sum0);
    sum1 = hn::MulAdd(hn::LoadU(d, a + lanes), hn::LoadU(d, b + lanes), sum1);
    sum2 = hn::MulAdd(hn::LoadU(d, a + 2 * lanes), hn::LoadU(d, b + 2 * lanes), sum2);
    sum3 = hn::MulAdd(hn::LoadU(d, a + 3 * lanes), hn::LoadU(d, b + 3 * lanes), sum3);
  }
  hn::StoreU(sum0, d, to);
  hn::StoreU(sum1, d, to + lanes);
  hn::StoreU(sum2, d, to + 2 * lanes);
  hn::StoreU(sum3, d, to + 3 * lanes);
}

template <class D, class Left, class Right>
HWY_INLINE void SumOne(D d, Index count, Left left, Right right, float* HWY_RESTRICT to,
                       Store store) {
  auto sum = store == Store::kAdd ? hn::LoadU(d, to) : hn::Zero(d);
  for (Index i = 0; i < count; ++i) {
    const float* HWY_RESTRICT a = left(i);
    if (a == nullptr) continue;
    sum = hn::MulAdd(hn::LoadU(d, a), hn::LoadU(d, right(i)), sum);
  }
  hn::StoreU(sum, d, to);
}

// All channels: pass(d, vectors, c, sum) for four vectors from channel c on, then for one, then for
// single lanes, with the sum above that fits.
template <class Pass>
HWY_INLINE void ForEachChannel(Index channels, Pass pass) {
  const auto four = [&](auto d, Index c) HWY_ATTR {
    pass(d, 4, c, [](auto... arguments) HWY_ATTR { SumFour(arguments...); });
  };
  const auto one = [&](auto d, Index c) HWY_ATTR {
    pass(d, 1, c, [](auto... arguments) HWY_ATTR { SumOne(arguments...); });
  };
  const Floats d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index c = 0;
  for (; c + 4 * lanes <= channels; c += 4 * lanes) four(d, c);
  for (; c + lanes <= channels; c += lanes) one(d, c);
  for (; c < channels; ++c) one(OneFloat(), c);
}

const float* RowOrNull(const float* x, std::int32_t row, Index channels, Index c) {
  return row < 0 ? nullptr : x + row * channels + c;
}

// Rows of a few channels lie `channels` apart, and where that is a multiple of 1 KiB they compete
// for the same cache sets: what is read over and over is copied together first (512 channels, 31
// taps: from 28 to 40 GFLOP/s forward, from 28 to 46 for the taps' gradient, Emerald Rapids).
constexpr std::size_t kMostChannels = 4 * HWY_MAX_BYTES / sizeof(float);

template <class D>
HWY_INLINE void CopyTogether(D d, Index vectors, Index rows, const float* HWY_RESTRICT from,
                             Index stride, float* HWY_RESTRICT to) {
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index row = 0; row < rows; ++row) {
    for (Index v = 0; v < vectors; ++v) {
      hn::StoreU(hn::LoadU(d, from + row * stride + v * lanes), d,
                 to + (row * vectors + v) * lanes);
    }
  }
}

constexpr Index kTapsAtOnce = 64;

void DepthwiseRows(const Depthwise& job, const float* x, const float* w, float* y, Store store) {
  HWY_ALIGN float taps[kTapsAtOnce * kMostChannels];
  ForEachChannel(job.channels, [&](auto d, Index vectors, Index c, auto sum_rows) HWY_ATTR {
    const Index width = vectors * static_cast<Index>(hn::Lanes(d));
    for (Index first = 0; first < job.taps; first += kTapsAtOnce) {
      const Index count = std::min(kTapsAtOnce, job.taps - first);
      CopyTogether(d, vectors, count, w + first * job.channels + c, job.channels, taps);
      for (Index output = 0; output < job.outputs; ++output) {
        const std::int32_t* source = job.source + output * job.taps + first;
        sum_rows(
            d, count, [=, &job](Index i) { return RowOrNull(x, source[i], job.channels, c); },
            [=, &taps](Index i) { return taps + i * width; }, y + output * job.channels + c,
            first == 0 ? store : Store::kAdd);
      }
    }
  });
}

// With 31 taps, the rows of x that 16 outputs read stay in the first cache while the taps pass.
constexpr Index kOutputsAtOnce = 16;

void DepthwiseWeight(const Depthwise& job, const float* x, const float* dy, float* dw) {
  HWY_ALIGN float gradients[kOutputsAtOnce * kMostChannels];
  ForEachChannel(job.channels, [&](auto d, Index vectors, Index c, auto sum_rows) HWY_ATTR {
    const Index width = vectors * static_cast<Index>(hn::Lanes(d));
    for (Index first = 0; first < job.outputs; first += kOutputsAtOnce) {
      const Index count = std::min(kOutputsAtOnce, job.outputs - first);
      CopyTogether(d, vectors, count, dy + first * job.channels + c, job.channels, gradients);
      for (Index tap = 0; tap < job.taps; ++tap) {
        const std::int32_t* source = job.source + first * job.taps + tap;
        sum_rows(
            d, count,
            [=, &job](Index i) { return RowOrNull(x, source[i * job.taps], job.channels, c); },
            [=, &gradients](Index i) { return gradients + i * width; }, dw + tap * job.channels + c,
            Store::kAdd);
      }
    }
  });
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernel {

HWY_EXPORT(DepthwiseRows);
HWY_EXPORT(DepthwiseWeight);

void depthwise(const Depthwise& job, const float* x, const float* w, float* y, Store store) {
  HWY_DYNAMIC_DISPATCH(DepthwiseRows)(job, x, w, y, store);
}

void depthwise_weight(const Depthwise& job, const float* x, const float* dy, float* dw) {
  HWY_DYNAMIC_DISPATCH(DepthwiseWeight)(job, x, dy, dw);
}

}  // namespace heed::kernel
#endif
