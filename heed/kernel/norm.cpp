#include "heed/kernel/norm.h"

#include <cmath>

// foreach_target includes this file once for each instruction set; the order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernel/norm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "heed/kernel/dropout-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {

// z = x + dropout(branch)
HWY_INLINE void AddBranch(const NormJob& job, Index row, const float* HWY_RESTRICT x,
                          const float* HWY_RESTRICT branch, float* HWY_RESTRICT z) {
  if (!job.dropout) {
    ForEach(static_cast<std::size_t>(job.columns), [&](auto d, std::size_t i) HWY_ATTR {
      hn::StoreU(hn::Add(hn::LoadU(d, x + i), hn::LoadU(d, branch + i)), d, z + i);
    });
    return;
  }
  ForRowFactors(
      job.dropout, row, job.columns, [&](Index begin, Index count, const float* factors) HWY_ATTR {
        ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
          const auto kept = hn::Mul(hn::LoadU(d, branch + begin + i), hn::LoadU(d, factors + i));
          hn::StoreU(hn::Add(hn::LoadU(d, x + begin + i), kept), d, z + begin + i);
        });
      });
}

void Forward(const NormJob& job, const float* x, const float* branch, float* z, float* y,
             NormStatistics statistics) {
  const auto columns = static_cast<std::size_t>(job.columns);
  const float inverse = 1.0f / static_cast<float>(job.columns);
  for (Index row = 0; row < job.rows; ++row) {
    const Index at = row * job.columns;
    const float* in = x + at;
    if (branch != nullptr) {
      AddBranch(job, row, in, branch + at, z + at);
      in = z + at;
    }
    float mean = 0.0f;
    if (job.norm == Norm::kLayer) {
      mean = inverse *
             SumOver(columns, [&](auto d, std::size_t i) HWY_ATTR { return hn::LoadU(d, in + i); });
    }
    const float squares = SumOver(columns, [&](auto d, std::size_t i) HWY_ATTR {
      const auto centred = hn::Sub(hn::LoadU(d, in + i), hn::Set(d, mean));
      return hn::Mul(centred, centred);
    });
    const float scale = 1.0f / std::sqrt(squares * inverse + job.epsilon);
    ForEach(columns, [&](auto d, std::size_t i) HWY_ATTR {
      const auto unit = hn::Mul(hn::Sub(hn::LoadU(d, in + i), hn::Set(d, mean)), hn::Set(d, scale));
      const auto gained = hn::Mul(unit, hn::LoadU(d, job.gain + i));
      hn::StoreU(job.bias == nullptr ? gained : hn::Add(gained, hn::LoadU(d, job.bias + i)), d,
                 y + at + i);
    });
    statistics.mean[row] = mean;
    statistics.scale[row] = scale;
  }
}

// With u = (z − mean) · scale and g = dy · gain,
//   dz = scale · (g − mean(g) − u · mean(g u))     (for RMS norm without the mean(g))
//   dgain = Σ_rows dy · u      dbias = Σ_rows dy      dx = dz      dbranch = dropout(dz)
void Backward(const NormJob& job, const float* z, NormStatistics statistics, const float* dy,
              const NormGradients& out) {
  const auto columns = static_cast<std::size_t>(job.columns);
  const float inverse = 1.0f / static_cast<float>(job.columns);
  for (Index row = 0; row < job.rows; ++row) {
    const Index at = row * job.columns;
    const float mean = statistics.mean[row];
    const float scale = statistics.scale[row];
    const float* HWY_RESTRICT z_row = z + at;
    const float* HWY_RESTRICT dy_row = dy + at;
    float mean_g = 0.0f;
    if (job.norm == Norm::kLayer) {
      mean_g = inverse * SumOver(columns, [&](auto d, std::size_t i) HWY_ATTR {
                 return hn::Mul(hn::LoadU(d, dy_row + i), hn::LoadU(d, job.gain + i));
               });
    }
    const float mean_gu =
        inverse * SumOver(columns, [&](auto d, std::size_t i) HWY_ATTR {
          const auto unit =
              hn::Mul(hn::Sub(hn::LoadU(d, z_row + i), hn::Set(d, mean)), hn::Set(d, scale));
          const auto g = hn::Mul(hn::LoadU(d, dy_row + i), hn::LoadU(d, job.gain + i));
          return hn::Mul(g, unit);
        });
    // dz of a few hundred columns at a time, in the first cache, then handed to where it goes.
    constexpr std::size_t kChunk = 512;
    HWY_ALIGN float dz[kChunk];
    HWY_ALIGN float factors[kChunk];
    for (std::size_t begin = 0; begin < columns; begin += kChunk) {
      const std::size_t count = columns - begin < kChunk ? columns - begin : kChunk;
      ForEach(count, [&](auto d, std::size_t i) HWY_ATTR {
        const std::size_t j = begin + i;
        const auto grad = hn::LoadU(d, dy_row + j);
        const auto unit =
            hn::Mul(hn::Sub(hn::LoadU(d, z_row + j), hn::Set(d, mean)), hn::Set(d, scale));
        const auto g = hn::Sub(hn::Mul(grad, hn::LoadU(d, job.gain + j)), hn::Set(d, mean_g));
        const auto centred = hn::NegMulAdd(unit, hn::Set(d, mean_gu), g);
        hn::StoreU(hn::Mul(centred, hn::Set(d, scale)), d, dz + i);
        if (out.dgain != nullptr) {
          hn::StoreU(hn::MulAdd(grad, unit, hn::LoadU(d, out.dgain + j)), d, out.dgain + j);
        }
        if (out.dbias != nullptr) {
          hn::StoreU(hn::Add(grad, hn::LoadU(d, out.dbias + j)), d, out.dbias + j);
        }
      });
      const auto put = [&](float* to, Store store, const float* scale_by) HWY_ATTR {
        ForEach(count, [&](auto d, std::size_t i) HWY_ATTR {
          auto value = hn::LoadU(d, dz + i);
          if (scale_by != nullptr) value = hn::Mul(value, hn::LoadU(d, scale_by + i));
          if (store == Store::kAdd) value = hn::Add(value, hn::LoadU(d, to + i));
          hn::StoreU(value, d, to + i);
        });
      };
      if (out.dx != nullptr) {
        put(out.dx + at + static_cast<Index>(begin), out.dx_store, nullptr);
      }
      if (out.dbranch != nullptr) {
        if (job.dropout) {
          DropoutFactors(job.dropout, row, static_cast<Index>(begin), static_cast<Index>(count),
                         job.columns, factors);
        }
        put(out.dbranch + at + static_cast<Index>(begin), out.dbranch_store,
            job.dropout ? factors : nullptr);
      }
    }
  }
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernel {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);

void norm_forward(const NormJob& job, const float* x, const float* branch, float* z, float* y,
                  NormStatistics statistics) {
  HWY_DYNAMIC_DISPATCH(Forward)(job, x, branch, z, y, statistics);
}

void norm_backward(const NormJob& job, const float* z, NormStatistics statistics, const float* dy,
                   const NormGradients& gradients) {
  HWY_DYNAMIC_DISPATCH(Backward)(job, z, statistics, dy, gradients);
}

}  // namespace heed::kernel
#endif
