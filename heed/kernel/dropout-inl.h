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

// Calls body(d, column, keep) for vectors of columns first_column … first_column + columns − 1 of
// one row; `keep` is the mask of those that are kept. `columns` is a multiple of 16.
//
// Sixteen 32-bit hashes decide 32 columns, the low halves the first sixteen and the high halves the
// second: the same columns are kept whatever the width of the machine's vectors.
template <class Body>
HWY_INLINE void ForEachKept(const Dropout& dropout, Index row, Index first_column, Index columns,
                            Index row_columns, Body body) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::RebindToSigned<decltype(d)> di;  // halves of 16 bits compare as well signed
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto below = hn::Set(di, static_cast<std::int32_t>(dropout.rate * 65536.0f + 0.5f) - 1);
  const auto low_key = hn::Set(du, static_cast<std::uint32_t>(dropout.key));
  const auto high_key = hn::Set(du, static_cast<std::uint32_t>(dropout.key >> 32));
  const auto low_half = hn::Set(du, 0xFFFFu);
  const auto iota = hn::Iota(du, 0);
  const Index blocks_per_row = (row_columns + kDropoutBlock - 1) / kDropoutBlock;
  const Index first_block = row * blocks_per_row + first_column / kDropoutBlock;
  for (Index column = 0; column < columns; column += kDropoutBlock) {
    const auto block = static_cast<std::uint32_t>(first_block + column / kDropoutBlock);
    for (Index lane = 0; lane < 16; lane += lanes) {
      auto x = hn::Add(iota, hn::Set(du, block * 16 + static_cast<std::uint32_t>(lane)));
      x = hn::Xor(hn::Mul(x, hn::Set(du, 0x9E3779B1u)), low_key);
      x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(du, 0x7FEB352Du));
      x = hn::Add(hn::Xor(x, hn::ShiftRight<15>(x)), high_key);
      x = hn::Mul(x, hn::Set(du, 0x846CA68Bu));
      x = hn::Xor(x, hn::ShiftRight<16>(x));
      const auto first = hn::Gt(hn::BitCast(di, hn::And(x, low_half)), below);
      body(d, column + lane, hn::RebindMask(d, first));
      if (column + 16 < columns) {
        const auto second = hn::Gt(hn::BitCast(di, hn::ShiftRight<16>(x)), below);
        body(d, column + 16 + lane, hn::RebindMask(d, second));
      }
    }
  }
}

// Writes 0 or 1 / (1 − rate) for each column; room for a multiple of kDropoutBlock is needed.
HWY_INLINE void DropoutFactors(const Dropout& dropout, Index row, Index first_column, Index columns,
                               Index row_columns, float* HWY_RESTRICT factors) {
  const float keep = dropout.keep_factor();
  const Index whole = (columns + kDropoutBlock - 1) / kDropoutBlock * kDropoutBlock;
  ForEachKept(dropout, row, first_column, whole, row_columns,
              [&](auto d, Index column, auto kept) HWY_ATTR {
                hn::StoreU(hn::IfThenElseZero(kept, hn::Set(d, keep)), d, factors + column);
              });
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
