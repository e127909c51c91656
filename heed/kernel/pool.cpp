#include "heed/kernel/pool.h"

// foreach_target includes this file once for each instruction set; the order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernel/pool.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "heed/kernel/vector_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {

// All channels: pass(d, c) for the vector from channel c on, then for single lanes.
template <class Pass>
HWY_INLINE void ForEachVector(Index channels, Pass pass) {
  const Floats d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index c = 0;
  for (; c + lanes <= channels; c += lanes) pass(d, c);
  for (; c < channels; ++c) pass(OneFloat(), c);
}

void MaxPoolRows(const MaxPool& job, const float* x, float* y, float* tap) {
  for (Index output = 0; output < job.outputs; ++output) {
    const std::int32_t* source = job.source + output * job.taps;
    ForEachVector(job.channels, [&](auto d, Index c) HWY_ATTR {
      auto largest = hn::Zero(d);
      auto place = hn::Zero(d);
      bool first = true;
      for (Index t = 0; t < job.taps; ++t) {
        if (source[t] < 0) continue;
        const auto value = hn::LoadU(d, x + source[t] * job.channels + c);
        const auto at = hn::Set(d, static_cast<float>(t));
        const auto better = hn::Or(hn::Gt(value, largest), hn::IsNaN(value));
        largest = first ? value : hn::IfThenElse(better, value, largest);
        place = first ? at : hn::IfThenElse(better, at, place);
        first = false;
      }
      hn::StoreU(largest, d, y + output * job.channels + c);
      hn::StoreU(place, d, tap + output * job.channels + c);
    });
  }
}

void MaxPoolBackward(const MaxPool& job, const float* dy, const float* tap, float* dx) {
  for (Index output = 0; output < job.outputs; ++output) {
    const std::int32_t* source = job.source + output * job.taps;
    ForEachVector(job.channels, [&](auto d, Index c) HWY_ATTR {
      const auto gradient = hn::LoadU(d, dy + output * job.channels + c);
      const auto place = hn::LoadU(d, tap + output * job.channels + c);
      for (Index t = 0; t < job.taps; ++t) {
        if (source[t] < 0) continue;
        float* to = dx + source[t] * job.channels + c;
        const auto chosen = hn::Eq(place, hn::Set(d, static_cast<float>(t)));
        hn::StoreU(hn::Add(hn::LoadU(d, to), hn::IfThenElseZero(chosen, gradient)), d, to);
      }
    });
  }
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernel {

HWY_EXPORT(MaxPoolRows);
HWY_EXPORT(MaxPoolBackward);

void max_pool(const MaxPool& job, const float* x, float* y, float* tap) {
  HWY_DYNAMIC_DISPATCH(MaxPoolRows)(job, x, y, tap);
}

void max_pool_backward(const MaxPool& job, const float* dy, const float* tap, float* dx) {
  HWY_DYNAMIC_DISPATCH(MaxPoolBackward)(job, dy, tap, dx);
}

}  // namespace heed::kernel
#endif
