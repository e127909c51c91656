#include "heed/kernel/dropout.h"

// foreach_target includes this file once for each instruction set; the order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernel/dropout.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "heed/kernel/dropout-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {

void Factors(const Dropout& dropout, Index row, Index first_column, Index columns,
             Index row_columns, float* factors) {
  DropoutFactors(dropout, row, first_column, columns, row_columns, factors);
}

void DropoutRow(const Dropout& dropout, Index row, Index columns, const float* HWY_RESTRICT x,
                float* y, float scale, Store store) {
  ForRowFactors(
      dropout, row, columns, [&](Index begin, Index count, const float* factors) HWY_ATTR {
        ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
          const auto scaled = hn::Mul(hn::LoadU(d, x + begin + i), hn::Set(d, scale));
          const auto kept = hn::Mul(scaled, hn::LoadU(d, factors + i));
          float* out = y + begin + i;
          hn::StoreU(store == Store::kAdd ? hn::Add(hn::LoadU(d, out), kept) : kept, d, out);
        });
      });
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernel {

HWY_EXPORT(Factors);
HWY_EXPORT(DropoutRow);

void dropout_factors(const Dropout& dropout, Index row, Index first_column, Index columns,
                     Index row_columns, float* factors) {
  HWY_DYNAMIC_DISPATCH(Factors)(dropout, row, first_column, columns, row_columns, factors);
}

void dropout_row(const Dropout& dropout, Index row, Index columns, const float* x, float* y,
                 float scale, Store store) {
  HWY_DYNAMIC_DISPATCH(DropoutRow)(dropout, row, columns, x, y, scale, store);
}

}  // namespace heed::kernel
#endif
