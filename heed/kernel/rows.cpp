#include "heed/kernel/rows.h"

#include <algorithm>
#include <limits>

// foreach_target includes this file once for each instruction set; the order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernel/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "heed/kernel/vector_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {

template <class D, class V>
HWY_INLINE void Put(D d, V value, float* to, Store store) {
  hn::StoreU(store == Store::kAdd ? hn::Add(value, hn::LoadU(d, to)) : value, d, to);
}

void Scale(Index count, float a, const float* x, float* y, Store store) {
  ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    Put(d, hn::Mul(hn::Set(d, a), hn::LoadU(d, x + i)), y + i, store);
  });
}

void AddScaled(Index count, const float* x, float a, const float* z, float* y) {
  ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    const auto scaled = hn::Mul(hn::Set(d, a), hn::LoadU(d, z + i));
    hn::StoreU(hn::Add(scaled, hn::LoadU(d, x + i)), d, y + i);
  });
}

void Blend(Index count, float keep, const float* x, float* y) {
  ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    const auto kept = hn::Mul(hn::Set(d, keep), hn::LoadU(d, y + i));
    hn::StoreU(hn::MulAdd(hn::Set(d, 1.0f - keep), hn::LoadU(d, x + i), kept), d, y + i);
  });
}

void Multiply(Index count, const float* x, const float* z, float* y, Store store) {
  ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    Put(d, hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, z + i)), y + i, store);
  });
}

void TurnHeads(const TurnJob& job, const float* cosine, const float* sine, const TurnedRows& rows,
               Store store) {
  const float direction = job.back ? -1.0f : 1.0f;
  for (Index row = 0; row < job.rows; ++row) {
    const float* c = cosine + row * job.half;
    const float* s = sine + row * job.half;
    const float* from = rows.from + row * rows.stride;
    float* to = rows.to + row * rows.stride;
    for (Index head = 0; head < job.heads; ++head, from += 2 * job.half, to += 2 * job.half) {
      ForEach(static_cast<std::size_t>(job.half), [&](auto d, std::size_t i) HWY_ATTR {
        const auto cos = hn::LoadU(d, c + i);
        const auto sin = hn::Mul(hn::LoadU(d, s + i), hn::Set(d, direction));
        const auto one = hn::LoadU(d, from + i);
        const auto two = hn::LoadU(d, from + job.half + i);
        Put(d, hn::NegMulAdd(sin, two, hn::Mul(cos, one)), to + i, store);
        Put(d, hn::MulAdd(sin, one, hn::Mul(cos, two)), to + job.half + i, store);
      });
    }
  }
}

void Sum(Index count, std::span<const float* const> x, float* y) {
  ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    auto sum = hn::LoadU(d, x[0] + i);
    for (std::size_t other = 1; other < x.size(); ++other) {
      sum = hn::Add(sum, hn::LoadU(d, x[other] + i));
    }
    hn::StoreU(sum, d, y + i);
  });
}

// Sums of a few vectors at a time stay in registers while the rows pass. weight(i) multiplies the
// i-th of them.
template <class Weight>
HWY_INLINE void SumRowsBy(Index width, const float* table, std::span<const std::int32_t> ids,
                          Weight weight, float* y) {
  const Floats d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  Index c = 0;
  for (; c + 4 * lanes <= width; c += 4 * lanes) {
    auto sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const float* row = table + ids[i] * width + c;
      const auto factor = hn::Set(d, weight(i));
      sum0 = hn::Add(hn::Mul(factor, hn::LoadU(d, row)), sum0);
      sum1 = hn::Add(hn::Mul(factor, hn::LoadU(d, row + lanes)), sum1);
      sum2 = hn::Add(hn::Mul(factor, hn::LoadU(d, row + 2 * lanes)), sum2);
      sum3 = hn::Add(hn::Mul(factor, hn::LoadU(d, row + 3 * lanes)), sum3);
    }
    hn::StoreU(sum0, d, y + c);
    hn::StoreU(sum1, d, y + c + lanes);
    hn::StoreU(sum2, d, y + c + 2 * lanes);
    hn::StoreU(sum3, d, y + c + 3 * lanes);
  }
  ForEach(static_cast<std::size_t>(width - c), [&](auto part, std::size_t j) HWY_ATTR {
    auto sum = hn::Zero(part);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const float* row = table + ids[i] * width + c;
      sum = hn::Add(hn::Mul(hn::Set(part, weight(i)), hn::LoadU(part, row + j)), sum);
    }
    hn::StoreU(sum, part, y + c + j);
  });
}

void SumRows(Index width, const float* table, std::span<const std::int32_t> ids, float a,
             float* y) {
  SumRowsBy(
      width, table, ids, [a](std::size_t) HWY_ATTR { return a; }, y);
}

void SumWeightedRows(Index width, const float* table, std::span<const std::int32_t> ids,
                     std::span<const float> weights, float* y) {
  SumRowsBy(
      width, table, ids, [&](std::size_t i) HWY_ATTR { return weights[i]; }, y);
}

void AddToRows(Index width, const float* HWY_RESTRICT x, std::span<const std::int32_t> ids,
               std::span<const float> weights, float* HWY_RESTRICT table) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    float* row = table + ids[i] * width;
    const float weight = weights[i];
    ForEach(static_cast<std::size_t>(width), [&](auto d, std::size_t c) HWY_ATTR {
      const auto more = hn::Mul(hn::Set(d, weight), hn::LoadU(d, x + c));
      hn::StoreU(hn::Add(more, hn::LoadU(d, row + c)), d, row + c);
    });
  }
}

float Dot(Index count, const float* x, const float* y) {
  return SumOver(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    return hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, y + i));
  });
}

bool AllFinite(Index count, const float* x) {
  // x − x is 0 for every finite x and NaN otherwise.
  const float sum = SumOver(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    const auto value = hn::LoadU(d, x + i);
    return hn::Sub(value, value);
  });
  return sum == 0.0f;
}

float ExpSumRow(Index count, const float* x, float largest) {
  return SumOver(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    return Exp(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, largest)));
  });
}

float LargestOf(std::size_t n, const float* x) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  float largest = -std::numeric_limits<float>::infinity();
  std::size_t i = 0;
  if (n >= lanes) {
    auto top = hn::LoadU(d, x);
    for (i = lanes; i + lanes <= n; i += lanes) top = hn::Max(top, hn::LoadU(d, x + i));
    largest = hn::GetLane(hn::MaxOfLanes(d, top));
  }
  for (; i < n; ++i) largest = std::max(largest, x[i]);
  return largest;
}

LogSum LogSumRow(Index count, const float* x) {
  const float largest = LargestOf(static_cast<std::size_t>(count), x);
  return {largest, ExpSumRow(count, x, largest)};
}

void BlockMaxima(Index count, const float* x, float* maxima) {
  for (Index begin = 0; begin < count; begin += kMaximaBlock) {
    *maxima++ =
        LargestOf(static_cast<std::size_t>(std::min(kMaximaBlock, count - begin)), x + begin);
  }
}

void ExpRow(Index count, const float* x, float shift, float a, float* y, Store store) {
  ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    const auto value = Exp(d, hn::Add(hn::LoadU(d, x + i), hn::Set(d, shift)));
    Put(d, hn::Mul(hn::Set(d, a), value), y + i, store);
  });
}

void AdamW(Index count, const AdamWStep& step, const float* HWY_RESTRICT gradient,
           float* HWY_RESTRICT weights, float* HWY_RESTRICT mean, float* HWY_RESTRICT square) {
  const float keep = 1.0f - step.rate * step.decay;
  const float rate = step.rate / step.correction1;
  const float inverse2 = 1.0f / step.correction2;
  ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    const auto g = hn::Mul(hn::LoadU(d, gradient + i), hn::Set(d, step.gradient_scale));
    const auto m = hn::MulAdd(hn::Set(d, 1.0f - step.beta1), hn::Sub(g, hn::LoadU(d, mean + i)),
                              hn::LoadU(d, mean + i));
    const auto v = hn::MulAdd(hn::Mul(hn::Set(d, 1.0f - step.beta2), g), g,
                              hn::Mul(hn::Set(d, step.beta2), hn::LoadU(d, square + i)));
    const auto bottom =
        hn::Add(hn::Sqrt(hn::Mul(v, hn::Set(d, inverse2))), hn::Set(d, step.epsilon));
    const auto w = hn::Mul(hn::LoadU(d, weights + i), hn::Set(d, keep));
    hn::StoreU(m, d, mean + i);
    hn::StoreU(v, d, square + i);
    hn::StoreU(hn::NegMulAdd(hn::Set(d, rate), hn::Div(m, bottom), w), d, weights + i);
  });
}

void Sgd(Index count, const SgdStep& step, const float* HWY_RESTRICT gradient,
         float* HWY_RESTRICT weights, float* HWY_RESTRICT velocity) {
  ForEach(static_cast<std::size_t>(count), [&](auto d, std::size_t i) HWY_ATTR {
    const auto w = hn::LoadU(d, weights + i);
    const auto g = hn::MulAdd(hn::Set(d, step.decay), w,
                              hn::Mul(hn::LoadU(d, gradient + i), hn::Set(d, step.gradient_scale)));
    const auto momentum = hn::Set(d, step.momentum);
    const auto v = hn::MulAdd(momentum, hn::LoadU(d, velocity + i), g);
    const auto move = step.nesterov ? hn::MulAdd(momentum, v, g) : v;
    hn::StoreU(v, d, velocity + i);
    hn::StoreU(hn::NegMulAdd(hn::Set(d, step.rate), move, w), d, weights + i);
  });
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernel {

HWY_EXPORT(Scale);
HWY_EXPORT(AddScaled);
HWY_EXPORT(Blend);
HWY_EXPORT(Multiply);
HWY_EXPORT(TurnHeads);
HWY_EXPORT(Sum);
HWY_EXPORT(SumRows);
HWY_EXPORT(SumWeightedRows);
HWY_EXPORT(AddToRows);
HWY_EXPORT(Dot);
HWY_EXPORT(AllFinite);
HWY_EXPORT(LogSumRow);
HWY_EXPORT(ExpSumRow);
HWY_EXPORT(BlockMaxima);
HWY_EXPORT(ExpRow);
HWY_EXPORT(AdamW);
HWY_EXPORT(Sgd);

void scale(Index count, float a, const float* x, float* y, Store store) {
  HWY_DYNAMIC_DISPATCH(Scale)(count, a, x, y, store);
}

void turn_heads(const TurnJob& job, const float* cosine, const float* sine, const TurnedRows& rows,
                Store store) {
  HWY_DYNAMIC_DISPATCH(TurnHeads)(job, cosine, sine, rows, store);
}

void add_scaled(Index count, const float* x, float a, const float* z, float* y) {
  HWY_DYNAMIC_DISPATCH(AddScaled)(count, x, a, z, y);
}

void blend(Index count, float keep, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(Blend)(count, keep, x, y);
}

void multiply(Index count, const float* x, const float* z, float* y, Store store) {
  HWY_DYNAMIC_DISPATCH(Multiply)(count, x, z, y, store);
}

void sum(Index count, std::span<const float* const> x, float* y) {
  HWY_DYNAMIC_DISPATCH(Sum)(count, x, y);
}

void sum_rows(Index width, const float* table, std::span<const std::int32_t> ids, float a,
              float* y) {
  HWY_DYNAMIC_DISPATCH(SumRows)(width, table, ids, a, y);
}

void sum_rows(Index width, const float* table, std::span<const std::int32_t> ids,
              std::span<const float> weights, float* y) {
  HWY_DYNAMIC_DISPATCH(SumWeightedRows)(width, table, ids, weights, y);
}

void add_to_rows(Index width, const float* x, std::span<const std::int32_t> ids,
                 std::span<const float> weights, float* table) {
  HWY_DYNAMIC_DISPATCH(AddToRows)(width, x, ids, weights, table);
}

float dot(Index count, const float* x, const float* y) {
  return HWY_DYNAMIC_DISPATCH(Dot)(count, x, y);
}

double sum_of_squares(Index count, const float* x) {
  constexpr Index kBlock = 256;
  double sum = 0.0;
  for (Index begin = 0; begin < count; begin += kBlock) {
    sum += dot(std::min(kBlock, count - begin), x + begin, x + begin);
  }
  return sum;
}

bool all_finite(Index count, const float* x) { return HWY_DYNAMIC_DISPATCH(AllFinite)(count, x); }

LogSum log_sum(Index count, const float* x) { return HWY_DYNAMIC_DISPATCH(LogSumRow)(count, x); }

float exp_sum(Index count, const float* x, float largest) {
  return HWY_DYNAMIC_DISPATCH(ExpSumRow)(count, x, largest);
}

void block_maxima(Index count, const float* x, float* maxima) {
  HWY_DYNAMIC_DISPATCH(BlockMaxima)(count, x, maxima);
}

void exp_row(Index count, const float* x, float shift, float a, float* y, Store store) {
  HWY_DYNAMIC_DISPATCH(ExpRow)(count, x, shift, a, y, store);
}

void adamw(Index count, const AdamWStep& step, const float* gradient, float* weights, float* mean,
           float* square) {
  HWY_DYNAMIC_DISPATCH(AdamW)(count, step, gradient, weights, mean, square);
}

void sgd(Index count, const SgdStep& step, const float* gradient, float* weights, float* velocity) {
  HWY_DYNAMIC_DISPATCH(Sgd)(count, step, gradient, weights, velocity);
}

}  // namespace heed::kernel
#endif
