// Dropout factors for Highway kernels. Included once for each instruction set.

#if defined(HEED_KERNEL_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNEL_DROPOUT_INL_H_
#undef HEED_KERNEL_DROPOUT_INL_H_
#else
#define HEED_KERNEL_DROPOUT_INL_H_
#endif

#include "heed/kernel/dropout.h"
#include "heed/kernel/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {

// Sixteen 32-bit hashes decide 32 columns, the low halves the first sixteen and the high halves the
// second: the same columns are kept whatever the width of the machine's vectors.
HWY_INLINE void DropoutFactors(const Dropout& dropout, Index row, Index first_column, Index columns,
                               Index row_columns, float* HWY_RESTRICT factors) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const hn::RebindToSigned<decltype(d)> di;  // halves of 16 bits compare as well signed
  const auto below = hn::Set(di, static_cast<std::int32_t>(dropout.rate * 65536.0f + 0.5f) - 1);
  const auto keep = hn::Set(d, 1.0f / (1.0f - dropout.rate));
  const auto low_key = hn::Set(du, static_cast<std::uint32_t>(dropout.key));
  const auto high_key = hn::Set(du, static_cast<std::uint32_t>(dropout.key >> 32));
  const auto low_half = hn::Set(du, 0xFFFFu);
  const Index blocks_per_row = (row_columns + kDropoutBlock - 1) / kDropoutBlock;
  const Index first_block = row * blocks_per_row + first_column / kDropoutBlock;
  for (Index column = 0; column < columns; column += kDropoutBlock) {
    const auto block = static_cast<std::uint32_t>(first_block + column / kDropoutBlock);
    for (Index lane = 0; lane < 16; lane += lanes) {
      auto x = hn::Iota(du, block * 16 + static_cast<std::uint32_t>(lane));
      x = hn::Xor(hn::Mul(x, hn::Set(du, 0x9E3779B1u)), low_key);
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(du, 0x7FEB352Du));
      x = hn::Add(hn::Xor(x, hn::ShiftRight<15>(x)), high_key);
      x = hn::Mul(x, hn::Set(du, 0x846CA68Bu));
      x = hn::Xor(x, hn::ShiftRight<16>(x));
      const auto first = hn::Gt(hn::BitCast(di, hn::And(x, low_half)), below);
      const auto second = hn::Gt(hn::BitCast(di, hn::ShiftRight<16>(x)), below);
      hn::StoreU(hn::IfThenElseZero(hn::RebindMask(d, first), keep), d, factors + column + lane);
      hn::StoreU(hn::IfThenElseZero(hn::RebindMask(d, second), keep), d,
                 factors + column + 16 + lane);
    }
  }
}

// Calls body(begin, count, factors) for one row, a few hundred columns at a time.
template <class Body>
HWY_INLINE void ForRowFactors(const Dropout& dropout, Index row, Index columns, Body body) {
  constexpr Index kChunk = 16 * kDropoutBlock;
  HWY_ALIGN float factors[kChunk];
  for (Index begin = 0; begin < columns; begin += kChunk) {
    const Index count = columns - begin < kChunk ? columns - begin : kChunk;
    DropoutFactors(dropout, row, begin, count, columns, factors);
    body(begin, count, static_cast<const float*>(factors));
  }
}

HWY_INLINE void DropoutInPlace(const Dropout& dropout, Index row, Index columns, float* x) {
  ForRowFactors(dropout, row, columns,
                [&](Index begin, Index count, const float* factors) HWY_ATTR {
                  ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
                    float* out = x + begin + i;
                    hn::StoreU(hn::Mul(hn::LoadU(d, out), hn::LoadU(d, factors + i)), d, out);
                  });
                });
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
