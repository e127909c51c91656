#include "heed/kernel/gate.h"

// foreach_target includes this file once for each instruction set; the order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernel/gate.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "heed/kernel/vector_math-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {

// s (1 − s) and 1 − t²: derivatives of sigmoid and tanh, read off their values.
template <class D, class V>
HWY_INLINE V SigmoidSlope(D d, V s) {
  return hn::Mul(s, hn::Sub(hn::Set(d, 1.0f), s));
}
template <class D, class V>
HWY_INLINE V TanhSlope(D d, V t) {
  return hn::NegMulAdd(t, t, hn::Set(d, 1.0f));
}

template <class D>
HWY_INLINE auto LoadOrZero(D d, const float* from, std::size_t i) {
  return from == nullptr ? hn::Zero(d) : hn::LoadU(d, from + i);
}

const float* Row(const float* from, Index row, Index columns) {
  return from == nullptr ? nullptr : from + row * columns;
}

void RnnForward(const CellStep& step, float* h) {
  for (Index row = 0; row < step.rows; ++row, h += step.hidden) {
    ForEach(static_cast<std::size_t>(step.hidden), [&](auto d, std::size_t i) HWY_ATTR {
      const auto a = hn::Add(hn::LoadU(d, h + i), hn::LoadU(d, step.bias + i));
      hn::StoreU(Tanh(d, a), d, h + i);
    });
  }
}

void RnnBackward(const CellStep& step, const float* HWY_RESTRICT h, float* HWY_RESTRICT dh) {
  ForEach(static_cast<std::size_t>(step.rows * step.hidden), [&](auto d, std::size_t i) HWY_ATTR {
    const auto slope = TanhSlope(d, hn::LoadU(d, h + i));
    hn::StoreU(hn::Mul(hn::LoadU(d, dh + i), slope), d, dh + i);
  });
}

void LstmForward(const CellStep& step, float* HWY_RESTRICT gates, float* HWY_RESTRICT c,
                 float* HWY_RESTRICT h) {
  const auto n = static_cast<std::size_t>(step.hidden);
  const float* HWY_RESTRICT bias = step.bias;
  for (Index row = 0; row < step.rows; ++row, gates += 4 * n, c += n, h += n) {
    const float* previous = Row(step.previous, row, step.hidden);
    ForEach(n, [&](auto dd, std::size_t k) HWY_ATTR {
      const auto sum = [&](std::size_t gate) HWY_ATTR {
        return hn::Add(hn::LoadU(dd, gates + gate * n + k), hn::LoadU(dd, bias + gate * n + k));
      };
      const auto i = Sigmoid(dd, sum(0));
      const auto f = Sigmoid(dd, sum(1));
      const auto g = Tanh(dd, sum(2));
      const auto o = Sigmoid(dd, sum(3));
      const auto state = hn::MulAdd(f, LoadOrZero(dd, previous, k), hn::Mul(i, g));
      hn::StoreU(i, dd, gates + k);
      hn::StoreU(f, dd, gates + n + k);
      hn::StoreU(g, dd, gates + 2 * n + k);
      hn::StoreU(o, dd, gates + 3 * n + k);
      hn::StoreU(state, dd, c + k);
      hn::StoreU(hn::Mul(o, Tanh(dd, state)), dd, h + k);
    });
  }
}

void LstmBackward(const CellStep& step, float* HWY_RESTRICT gates, const float* HWY_RESTRICT c,
                  const float* HWY_RESTRICT dh, float* HWY_RESTRICT dc) {
  const auto n = static_cast<std::size_t>(step.hidden);
  for (Index row = 0; row < step.rows; ++row, gates += 4 * n, c += n, dh += n, dc += n) {
    const float* previous = Row(step.previous, row, step.hidden);
    ForEach(n, [&](auto dd, std::size_t k) HWY_ATTR {
      const auto i = hn::LoadU(dd, gates + k);
      const auto f = hn::LoadU(dd, gates + n + k);
      const auto g = hn::LoadU(dd, gates + 2 * n + k);
      const auto o = hn::LoadU(dd, gates + 3 * n + k);
      const auto t = Tanh(dd, hn::LoadU(dd, c + k));
      const auto dh_k = hn::LoadU(dd, dh + k);
      const auto dc_k = hn::MulAdd(hn::Mul(dh_k, o), TanhSlope(dd, t), hn::LoadU(dd, dc + k));
      const auto before = LoadOrZero(dd, previous, k);
      hn::StoreU(hn::Mul(hn::Mul(dc_k, g), SigmoidSlope(dd, i)), dd, gates + k);
      hn::StoreU(hn::Mul(hn::Mul(dc_k, before), SigmoidSlope(dd, f)), dd, gates + n + k);
      hn::StoreU(hn::Mul(hn::Mul(dc_k, i), TanhSlope(dd, g)), dd, gates + 2 * n + k);
      hn::StoreU(hn::Mul(hn::Mul(dh_k, t), SigmoidSlope(dd, o)), dd, gates + 3 * n + k);
      hn::StoreU(hn::Mul(dc_k, f), dd, dc + k);
    });
  }
}

void GruForward(const CellStep& step, const float* HWY_RESTRICT recurrent,
                float* HWY_RESTRICT gates, float* HWY_RESTRICT q, float* HWY_RESTRICT h) {
  const auto n = static_cast<std::size_t>(step.hidden);
  const float* HWY_RESTRICT bias = step.bias;
  for (Index row = 0; row < step.rows; ++row, gates += 3 * n, q += n, h += n) {
    const float* previous = Row(step.previous, row, step.hidden);
    const float* products = Row(recurrent, row, 3 * step.hidden);
    ForEach(n, [&](auto dd, std::size_t k) HWY_ATTR {
      const auto input = [&](std::size_t gate) HWY_ATTR {
        return hn::Add(hn::LoadU(dd, gates + gate * n + k), hn::LoadU(dd, bias + gate * n + k));
      };
      const auto from_state = [&](std::size_t gate) HWY_ATTR {
        return hn::Add(LoadOrZero(dd, products, gate * n + k),
                       hn::LoadU(dd, bias + (3 + gate) * n + k));
      };
      const auto r = Sigmoid(dd, hn::Add(input(0), from_state(0)));
      const auto z = Sigmoid(dd, hn::Add(input(1), from_state(1)));
      const auto q_k = from_state(2);
      const auto fresh = Tanh(dd, hn::MulAdd(r, q_k, input(2)));
      hn::StoreU(r, dd, gates + k);
      hn::StoreU(z, dd, gates + n + k);
      hn::StoreU(fresh, dd, gates + 2 * n + k);
      hn::StoreU(q_k, dd, q + k);
      // (1 − z) n + z h = n + z (h − n)
      const auto before = LoadOrZero(dd, previous, k);
      hn::StoreU(hn::MulAdd(z, hn::Sub(before, fresh), fresh), dd, h + k);
    });
  }
}

void GruBackward(const CellStep& step, float* HWY_RESTRICT gates, const float* HWY_RESTRICT q,
                 const float* HWY_RESTRICT dh, float* HWY_RESTRICT drecurrent,
                 float* HWY_RESTRICT dprevious) {
  const auto n = static_cast<std::size_t>(step.hidden);
  for (Index row = 0; row < step.rows; ++row) {
    const float* previous = Row(step.previous, row, step.hidden);
    ForEach(n, [&](auto dd, std::size_t k) HWY_ATTR {
      const auto r = hn::LoadU(dd, gates + k);
      const auto z = hn::LoadU(dd, gates + n + k);
      const auto fresh = hn::LoadU(dd, gates + 2 * n + k);
      const auto dh_k = hn::LoadU(dd, dh + k);
      const auto through = hn::Mul(dh_k, z);
      const auto dn = hn::Mul(hn::Sub(dh_k, through), TanhSlope(dd, fresh));
      const auto dr = hn::Mul(hn::Mul(dn, hn::LoadU(dd, q + k)), SigmoidSlope(dd, r));
      const auto change = hn::Sub(LoadOrZero(dd, previous, k), fresh);
      const auto dz = hn::Mul(hn::Mul(dh_k, change), SigmoidSlope(dd, z));
      hn::StoreU(dr, dd, gates + k);
      hn::StoreU(dz, dd, gates + n + k);
      hn::StoreU(dn, dd, gates + 2 * n + k);
      hn::StoreU(dr, dd, drecurrent + k);
      hn::StoreU(dz, dd, drecurrent + n + k);
      hn::StoreU(hn::Mul(dn, r), dd, drecurrent + 2 * n + k);
      if (dprevious != nullptr) {
        hn::StoreU(hn::Add(hn::LoadU(dd, dprevious + k), through), dd, dprevious + k);
      }
    });
    gates += 3 * n, q += n, dh += n, drecurrent += 3 * n;
    if (dprevious != nullptr) dprevious += n;
  }
}

void AverageForward(const AverageRow& row, const float* HWY_RESTRICT a, float* HWY_RESTRICT values,
                    float* HWY_RESTRICT h) {
  const auto gate = static_cast<std::size_t>(row.gate);
  ForEach(static_cast<std::size_t>(row.columns), [&](auto d, std::size_t i) HWY_ATTR {
    const auto z = Tanh(d, hn::LoadU(d, a + i));
    const auto f = Sigmoid(d, hn::LoadU(d, a + gate + i));
    hn::StoreU(z, d, values + i);
    hn::StoreU(f, d, values + gate + i);
    // f previous + (1 − f) z = z + f (previous − z)
    hn::StoreU(hn::MulAdd(f, hn::Sub(LoadOrZero(d, row.previous, i), z), z), d, h + i);
  });
}

template <Store kStore>
void AverageBackwardRow(const AverageRow& row, const float* HWY_RESTRICT values,
                        const float* HWY_RESTRICT dh, float* HWY_RESTRICT dlater,
                        float* HWY_RESTRICT da) {
  const auto gate = static_cast<std::size_t>(row.gate);
  ForEach(static_cast<std::size_t>(row.columns), [&](auto d, std::size_t i) HWY_ATTR {
    const auto z = hn::LoadU(d, values + i);
    const auto f = hn::LoadU(d, values + gate + i);
    const auto all = hn::Add(hn::LoadU(d, dh + i), hn::LoadU(d, dlater + i));
    const auto passed = hn::Mul(all, f);
    const auto change = hn::Sub(LoadOrZero(d, row.previous, i), z);
    auto dz = hn::Mul(hn::Sub(all, passed), TanhSlope(d, z));
    auto df = hn::Mul(hn::Mul(all, change), SigmoidSlope(d, f));
    if (kStore == Store::kAdd) {
      dz = hn::Add(dz, hn::LoadU(d, da + i));
      df = hn::Add(df, hn::LoadU(d, da + gate + i));
    }
    hn::StoreU(dz, d, da + i);
    hn::StoreU(df, d, da + gate + i);
    hn::StoreU(passed, d, dlater + i);
  });
}

void AverageBackward(const AverageRow& row, const float* values, const float* dh, float* dlater,
                     float* da, Store store) {
  if (store == Store::kAdd) return AverageBackwardRow<Store::kAdd>(row, values, dh, dlater, da);
  return AverageBackwardRow<Store::kOverwrite>(row, values, dh, dlater, da);
}

void GluForward(Index rows, Index columns, const float* HWY_RESTRICT x, float* HWY_RESTRICT y) {
  const auto n = static_cast<std::size_t>(columns);
  for (Index row = 0; row < rows; ++row, x += 2 * n, y += n) {
    ForEach(n, [&](auto d, std::size_t i) HWY_ATTR {
      hn::StoreU(hn::Mul(hn::LoadU(d, x + i), Sigmoid(d, hn::LoadU(d, x + n + i))), d, y + i);
    });
  }
}

//   da = dy s     db = dy a s (1 − s),   s = sigmoid(b)
template <Store kStore>
void GluBackwardRows(Index rows, Index columns, const float* HWY_RESTRICT x,
                     const float* HWY_RESTRICT dy, float* HWY_RESTRICT dx) {
  const auto n = static_cast<std::size_t>(columns);
  for (Index row = 0; row < rows; ++row, x += 2 * n, dy += n, dx += 2 * n) {
    ForEach(n, [&](auto d, std::size_t i) HWY_ATTR {
      const auto s = Sigmoid(d, hn::LoadU(d, x + n + i));
      auto da = hn::Mul(hn::LoadU(d, dy + i), s);
      auto db = hn::Mul(hn::Mul(da, hn::LoadU(d, x + i)), hn::Sub(hn::Set(d, 1.0f), s));
      if (kStore == Store::kAdd) {
        da = hn::Add(da, hn::LoadU(d, dx + i));
        db = hn::Add(db, hn::LoadU(d, dx + n + i));
      }
      hn::StoreU(da, d, dx + i);
      hn::StoreU(db, d, dx + n + i);
    });
  }
}

void GluBackward(Index rows, Index columns, const float* x, const float* dy, float* dx,
                 Store store) {
  if (store == Store::kAdd) return GluBackwardRows<Store::kAdd>(rows, columns, x, dy, dx);
  return GluBackwardRows<Store::kOverwrite>(rows, columns, x, dy, dx);
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernel {

HWY_EXPORT(RnnForward);
HWY_EXPORT(RnnBackward);
HWY_EXPORT(LstmForward);
HWY_EXPORT(LstmBackward);
HWY_EXPORT(GruForward);
HWY_EXPORT(GruBackward);
HWY_EXPORT(AverageForward);
HWY_EXPORT(AverageBackward);
HWY_EXPORT(GluForward);
HWY_EXPORT(GluBackward);

void rnn_forward(const CellStep& step, float* h) { HWY_DYNAMIC_DISPATCH(RnnForward)(step, h); }

void rnn_backward(const CellStep& step, const float* h, float* dh) {
  HWY_DYNAMIC_DISPATCH(RnnBackward)(step, h, dh);
}

void lstm_forward(const CellStep& step, float* gates, float* c, float* h) {
  HWY_DYNAMIC_DISPATCH(LstmForward)(step, gates, c, h);
}

void lstm_backward(const CellStep& step, float* gates, const float* c, const float* dh, float* dc) {
  HWY_DYNAMIC_DISPATCH(LstmBackward)(step, gates, c, dh, dc);
}

void gru_forward(const CellStep& step, const float* recurrent, float* gates, float* q, float* h) {
  HWY_DYNAMIC_DISPATCH(GruForward)(step, recurrent, gates, q, h);
}

void gru_backward(const CellStep& step, float* gates, const float* q, const float* dh,
                  float* drecurrent, float* dprevious) {
  HWY_DYNAMIC_DISPATCH(GruBackward)(step, gates, q, dh, drecurrent, dprevious);
}

void average_forward(const AverageRow& row, const float* a, float* values, float* h) {
  HWY_DYNAMIC_DISPATCH(AverageForward)(row, a, values, h);
}

void average_backward(const AverageRow& row, const float* values, const float* dh, float* dlater,
                      float* da, Store store) {
  HWY_DYNAMIC_DISPATCH(AverageBackward)(row, values, dh, dlater, da, store);
}

void glu_forward(Index rows, Index columns, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(GluForward)(rows, columns, x, y);
}

void glu_backward(Index rows, Index columns, const float* x, const float* dy, float* dx,
                  Store store) {
  HWY_DYNAMIC_DISPATCH(GluBackward)(rows, columns, x, dy, dx, store);
}

}  // namespace heed::kernel
#endif
