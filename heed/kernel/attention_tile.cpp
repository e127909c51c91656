#include "heed/kernel/attention_tile.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

// foreach_target includes this file once for each instruction set; the order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernel/attention_tile.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "heed/kernel/dropout-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace heed::kernel::HWY_NAMESPACE {

using Sixteen = hn::CappedTag<float, 16>;  // tiles are whole multiples of 16 keys

void PackRows(Rows from, Index rows, Index columns, float scale, float* HWY_RESTRICT to,
              Index padded_rows) {
  for (Index row = 0; row < rows; ++row) {
    const float* HWY_RESTRICT source = from.data + row * from.stride;
    ForEach(static_cast<std::size_t>(columns), [&](auto d, std::size_t i) HWY_ATTR {
      hn::StoreU(hn::Mul(hn::LoadU(d, source + i), hn::Set(d, scale)), d,
                 to + row * columns + static_cast<Index>(i));
    });
  }
  std::fill(to + rows * columns, to + padded_rows * columns, 0.0f);
}

// Four rows of four at a time: with single numbers packing took 3 % of a step at depth 16.
void PackTransposed(Rows from, Index rows, Index columns, float* HWY_RESTRICT to,
                    Index padded_rows) {
  Index row = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<float, 4> d;
  for (; row + 4 <= rows; row += 4) {
    const float* HWY_RESTRICT r = from.data + row * from.stride;
    Index column = 0;
    for (; column + 4 <= columns; column += 4) {
      const auto a = hn::LoadU(d, r + column);
      const auto b = hn::LoadU(d, r + from.stride + column);
      const auto c = hn::LoadU(d, r + 2 * from.stride + column);
      const auto e = hn::LoadU(d, r + 3 * from.stride + column);
      const auto ac_low = hn::InterleaveLower(d, a, c);
      const auto ac_high = hn::InterleaveUpper(d, a, c);
      const auto be_low = hn::InterleaveLower(d, b, e);
      const auto be_high = hn::InterleaveUpper(d, b, e);
      float* HWY_RESTRICT out = to + column * padded_rows + row;
      hn::StoreU(hn::InterleaveLower(d, ac_low, be_low), d, out);
      hn::StoreU(hn::InterleaveUpper(d, ac_low, be_low), d, out + padded_rows);
      hn::StoreU(hn::InterleaveLower(d, ac_high, be_high), d, out + 2 * padded_rows);
      hn::StoreU(hn::InterleaveUpper(d, ac_high, be_high), d, out + 3 * padded_rows);
    }
    for (; column < columns; ++column) {
      for (Index i = 0; i < 4; ++i) {
        to[column * padded_rows + row + i] = r[i * from.stride + column];
      }
    }
  }
#endif
  for (; row < rows; ++row) {
    for (Index column = 0; column < columns; ++column) {
      to[column * padded_rows + row] = from.data[row * from.stride + column];
    }
  }
  for (Index column = 0; column < columns; ++column) {
    std::fill(to + column * padded_rows + rows, to + (column + 1) * padded_rows, 0.0f);
  }
}

void UnpackRows(const float* HWY_RESTRICT from, Index rows, Index columns, float scale, Rows to,
                Store store) {
  for (Index row = 0; row < rows; ++row) {
    float* HWY_RESTRICT out = to.data + row * to.stride;
    ForEach(static_cast<std::size_t>(columns), [&](auto d, std::size_t i) HWY_ATTR {
      auto value =
          hn::Mul(hn::LoadU(d, from + row * columns + static_cast<Index>(i)), hn::Set(d, scale));
      if (store == Store::kAdd) value = hn::Add(value, hn::LoadU(d, out + i));
      hn::StoreU(value, d, out + i);
    });
  }
}

// Four rows at a time: their sums over lanes do not wait for each other.
void ScoreRows(const float* HWY_RESTRICT q, Index queries, Index depth, Rows rows, Index count,
               float* HWY_RESTRICT scores, Index stride) {
  const Floats d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const Index whole = depth / lanes * lanes;
  for (Index i = 0; i < queries; ++i) {
    const float* HWY_RESTRICT query = q + i * depth;
    float* HWY_RESTRICT to = scores + i * stride;
    const auto finish = [&](const float* HWY_RESTRICT row, float sum) HWY_ATTR {
      for (Index c = whole; c < depth; ++c) sum += query[c] * row[c];
      return sum;
    };
    Index j = 0;
    for (; j + 4 <= count; j += 4) {
      const float* HWY_RESTRICT a = rows.data + j * rows.stride;
      const float* HWY_RESTRICT b = a + rows.stride;
      const float* HWY_RESTRICT e = b + rows.stride;
      const float* HWY_RESTRICT f = e + rows.stride;
      auto sum_a = hn::Zero(d), sum_b = hn::Zero(d), sum_e = hn::Zero(d), sum_f = hn::Zero(d);
      for (Index c = 0; c < whole; c += lanes) {
        const auto x = hn::LoadU(d, query + c);
        sum_a = hn::MulAdd(x, hn::LoadU(d, a + c), sum_a);
        sum_b = hn::MulAdd(x, hn::LoadU(d, b + c), sum_b);
        sum_e = hn::MulAdd(x, hn::LoadU(d, e + c), sum_e);
        sum_f = hn::MulAdd(x, hn::LoadU(d, f + c), sum_f);
      }
      to[j] = finish(a, hn::GetLane(hn::SumOfLanes(d, sum_a)));
      to[j + 1] = finish(b, hn::GetLane(hn::SumOfLanes(d, sum_b)));
      to[j + 2] = finish(e, hn::GetLane(hn::SumOfLanes(d, sum_e)));
      to[j + 3] = finish(f, hn::GetLane(hn::SumOfLanes(d, sum_f)));
    }
    for (; j < count; ++j) {
      const float* HWY_RESTRICT row = rows.data + j * rows.stride;
      auto sum = hn::Zero(d);
      for (Index c = 0; c < whole; c += lanes) {
        sum = hn::MulAdd(hn::LoadU(d, query + c), hn::LoadU(d, row + c), sum);
      }
      to[j] = finish(row, hn::GetLane(hn::SumOfLanes(d, sum)));
    }
  }
}

// Four vectors of a sum stay in registers while the rows go by.
void AddWeightedRows(const float* HWY_RESTRICT weights, Index stride, Index queries, Rows rows,
                     Index count, Index columns, float* HWY_RESTRICT sums) {
  const Floats d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < queries; ++i) {
    const float* HWY_RESTRICT weight = weights + i * stride;
    float* HWY_RESTRICT sum = sums + i * columns;
    Index c = 0;
    for (; c + 4 * lanes <= columns; c += 4 * lanes) {
      auto sum0 = hn::LoadU(d, sum + c), sum1 = hn::LoadU(d, sum + c + lanes);
      auto sum2 = hn::LoadU(d, sum + c + 2 * lanes), sum3 = hn::LoadU(d, sum + c + 3 * lanes);
      for (Index j = 0; j < count; ++j) {
        const float* HWY_RESTRICT row = rows.data + j * rows.stride + c;
        const auto w = hn::Set(d, weight[j]);
        sum0 = hn::MulAdd(w, hn::LoadU(d, row), sum0);
        sum1 = hn::MulAdd(w, hn::LoadU(d, row + lanes), sum1);
        sum2 = hn::MulAdd(w, hn::LoadU(d, row + 2 * lanes), sum2);
        sum3 = hn::MulAdd(w, hn::LoadU(d, row + 3 * lanes), sum3);
      }
      hn::StoreU(sum0, d, sum + c);
      hn::StoreU(sum1, d, sum + c + lanes);
      hn::StoreU(sum2, d, sum + c + 2 * lanes);
      hn::StoreU(sum3, d, sum + c + 3 * lanes);
    }
    ForEach(static_cast<std::size_t>(columns - c), [&](auto dd, std::size_t k) HWY_ATTR {
      const Index at = c + static_cast<Index>(k);
      // Two sums: one row's product need not wait for the one before.
      auto even = hn::LoadU(dd, sum + at);
      auto odd = hn::Zero(dd);
      Index j = 0;
      for (; j + 2 <= count; j += 2) {
        const float* HWY_RESTRICT row = rows.data + j * rows.stride + at;
        even = hn::MulAdd(hn::Set(dd, weight[j]), hn::LoadU(dd, row), even);
        odd = hn::MulAdd(hn::Set(dd, weight[j + 1]), hn::LoadU(dd, row + rows.stride), odd);
      }
      if (j < count) {
        even = hn::MulAdd(hn::Set(dd, weight[j]), hn::LoadU(dd, rows.data + j * rows.stride + at),
                          even);
      }
      hn::StoreU(hn::Add(even, odd), dd, sum + at);
    });
  }
}

void SoftmaxTile(const AttentionHead& head, const Tile& tile, float* scores,
                 RunningSoftmax running) {
  const Sixteen d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  for (Index i = 0; i < tile.queries; ++i) {
    float* HWY_RESTRICT row = scores + i * tile.stride;
    auto top0 = hn::LoadU(d, row);
    auto top1 = top0;
    Index j = lanes;
    for (; j + 2 * lanes <= tile.keys; j += 2 * lanes) {
      top0 = hn::Max(top0, hn::LoadU(d, row + j));
      top1 = hn::Max(top1, hn::LoadU(d, row + j + lanes));
    }
    for (; j < tile.keys; j += lanes) top0 = hn::Max(top0, hn::LoadU(d, row + j));
    const float before = running.largest[i];
    const float largest = std::max(before, hn::GetLane(hn::MaxOfLanes(d, hn::Max(top0, top1))));
    // Nothing visible so far, unless what is visible is NaN: that may not pass for nothing.
    if (largest <= 0.5f * kHiddenScore &&
        std::none_of(row, row + tile.keys, [](float score) { return std::isnan(score); })) {
      std::fill_n(row, tile.keys, 0.0f);
      running.rescale[i] = 1.0f;
      continue;
    }
    const auto shift = hn::Set(d, largest);
    auto sum0 = hn::Zero(d);
    auto sum1 = hn::Zero(d);
    if (head.dropout) {
      ForEachKept(head.dropout, tile.first_query + i, tile.first_key, tile.keys, head.keys,
                  [&](auto dd, Index column, auto kept) HWY_ATTR {
                    const auto weight = Exp2(dd, hn::Sub(hn::LoadU(dd, row + column), shift));
                    sum0 = hn::Add(sum0, weight);
                    hn::StoreU(hn::IfThenElseZero(kept, weight), dd, row + column);
                  });
    } else {
      for (j = 0; j + 2 * lanes <= tile.keys; j += 2 * lanes) {
        const auto weight0 = Exp2(d, hn::Sub(hn::LoadU(d, row + j), shift));
        const auto weight1 = Exp2(d, hn::Sub(hn::LoadU(d, row + j + lanes), shift));
        sum0 = hn::Add(sum0, weight0);
        sum1 = hn::Add(sum1, weight1);
        hn::StoreU(weight0, d, row + j);
        hn::StoreU(weight1, d, row + j + lanes);
      }
      for (; j < tile.keys; j += lanes) {
        const auto weight = Exp2(d, hn::Sub(hn::LoadU(d, row + j), shift));
        sum0 = hn::Add(sum0, weight);
        hn::StoreU(weight, d, row + j);
      }
    }
    const float rescale = before <= 0.5f * kHiddenScore ? 0.0f : std::exp2(before - largest);
    running.rescale[i] = rescale;
    running.largest[i] = largest;
    running.sum[i] = running.sum[i] * rescale + hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  }
}

void WeightsTile(const Tile& tile, const float* log_sums, float* scores) {
  const Sixteen d;
  for (Index i = 0; i < tile.queries; ++i) {
    float* HWY_RESTRICT row = scores + i * tile.stride;
    const auto shift = hn::Set(d, log_sums[i]);
    for (Index j = 0; j < tile.keys; j += static_cast<Index>(hn::Lanes(d))) {
      hn::StoreU(Exp2(d, hn::Sub(hn::LoadU(d, row + j), shift)), d, row + j);
    }
  }
}

void ScoreGradientTile(const AttentionHead& head, const Tile& tile, const float* log_sums,
                       const float* delta, float* scores, float* dweights) {
  const Sixteen d;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto keep = hn::Set(d, head.dropout.keep_factor());
  for (Index i = 0; i < tile.queries; ++i) {
    float* HWY_RESTRICT row = scores + i * tile.stride;
    float* HWY_RESTRICT drow = dweights + i * tile.stride;
    const auto shift = hn::Set(d, log_sums[i]);
    const auto minus = hn::Set(d, delta[i]);
    if (head.dropout) {
      ForEachKept(head.dropout, tile.first_query + i, tile.first_key, tile.keys, head.keys,
                  [&](auto dd, Index column, auto kept) HWY_ATTR {
                    const auto weight = Exp2(dd, hn::Sub(hn::LoadU(dd, row + column), shift));
                    const auto dkept = hn::IfThenElseZero(kept, hn::LoadU(dd, drow + column));
                    hn::StoreU(hn::Mul(weight, hn::MulSub(dkept, keep, minus)), dd, drow + column);
                    hn::StoreU(hn::IfThenElseZero(kept, weight), dd, row + column);
                  });
    } else {
      for (Index j = 0; j < tile.keys; j += lanes) {
        const auto weight = Exp2(d, hn::Sub(hn::LoadU(d, row + j), shift));
        hn::StoreU(hn::Mul(weight, hn::Sub(hn::LoadU(d, drow + j), minus)), d, drow + j);
        hn::StoreU(weight, d, row + j);
      }
    }
  }
}

//   score_ij = c Σ_d a_d tanh(q_id + k_jd), c = scale · log₂ e
void AdditiveTile(const AttentionHead& head, const Tile& tile, const float* q,
                  const float* HWY_RESTRICT keys, Index key_stride, float* scores) {
  const Sixteen d;
  const float unit = head.scale * std::numbers::log2e_v<float>;
  for (Index i = 0; i < tile.queries; ++i) {
    for (Index j = 0; j < tile.keys; j += static_cast<Index>(hn::Lanes(d))) {
      auto sum = hn::Zero(d);
      for (Index c = 0; c < head.depth; ++c) {
        const auto in =
            hn::Add(hn::Set(d, q[i * head.depth + c]), hn::LoadU(d, keys + c * key_stride + j));
        sum = hn::MulAdd(hn::Set(d, unit * head.additive[c]), Tanh(d, in), sum);
      }
      hn::StoreU(sum, d, scores + i * tile.stride + j);
    }
  }
}

// With t = tanh(q_id + k_jd) and the gradient s_ij of the (natural) score:
//   dq_id += Σ_j g     dk_jd += Σ_i g,  g = s_ij · scale · a_d (1 − t²)
//   da_d += scale Σ_ij s_ij t
void AdditiveGradientTile(const AttentionHead& head, const Tile& tile, const float* q,
                          const float* HWY_RESTRICT keys, Index key_stride, const float* dscores,
                          float* dq, float* HWY_RESTRICT dkeys, float* da) {
  const Sixteen d;
  const auto one = hn::Set(d, 1.0f);
  for (Index i = 0; i < tile.queries; ++i) {
    const float* HWY_RESTRICT drow = dscores + i * tile.stride;
    for (Index c = 0; c < head.depth; ++c) {
      const auto query = hn::Set(d, q[i * head.depth + c]);
      const auto a = hn::Set(d, head.scale * head.additive[c]);
      auto sum_q = hn::Zero(d);
      auto sum_a = hn::Zero(d);
      for (Index j = 0; j < tile.keys; j += static_cast<Index>(hn::Lanes(d))) {
        const Index at = c * key_stride + j;
        const auto t = Tanh(d, hn::Add(query, hn::LoadU(d, keys + at)));
        const auto ds = hn::LoadU(d, drow + j);
        const auto g = hn::Mul(hn::Mul(ds, a), hn::NegMulAdd(t, t, one));
        sum_q = hn::Add(sum_q, g);
        sum_a = hn::MulAdd(ds, t, sum_a);
        hn::StoreU(hn::Add(hn::LoadU(d, dkeys + at), g), d, dkeys + at);
      }
      dq[i * head.depth + c] += hn::GetLane(hn::SumOfLanes(d, sum_q));
      if (da != nullptr) da[c] += head.scale * hn::GetLane(hn::SumOfLanes(d, sum_a));
    }
  }
}

}  // namespace heed::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernel {
namespace {

// Where the distance between key and query falls in the table of relative biases.
Index relative_place(const AttentionBias& bias, Index distance) {
  return std::clamp(distance, -bias.reach, bias.reach) + bias.reach;
}

void add_bias(const AttentionHead& head, const Tile& tile, Index query, float* row) {
  const AttentionBias& bias = head.bias;
  const Index position = head.mask.first_query + query;
  const Index first = std::max<Index>(head.mask.slots - tile.first_key, 0);
  const Index last = std::min(tile.keys, head.keys - tile.first_key);
  for (Index j = first; j < last; ++j) {
    const Index distance = tile.first_key + j - head.mask.slots - position;
    float value = -bias.slope * static_cast<float>(std::abs(distance));
    if (bias.relative != nullptr) value += bias.relative[relative_place(bias, distance)];
    row[j] += value * std::numbers::log2e_v<float>;
  }
}

}  // namespace

void mask_scores(const AttentionHead& head, const Tile& tile, float* scores) {
  const AttentionMask& mask = head.mask;
  const bool biased = head.bias.slope != 0.0f || head.bias.relative != nullptr;
  // In the tile's own numbering of keys.
  const auto local = [&](Index key) {
    return std::clamp<Index>(key - tile.first_key, 0, tile.keys);
  };
  for (Index i = 0; i < tile.queries; ++i) {
    float* row = scores + i * tile.stride;
    const Index query = tile.first_query + i;
    const Index position = mask.first_query + query;
    if (biased) add_bias(head, tile, query, row);
    const Index positions = head.keys - mask.slots;
    const Index low = mask.slots + std::clamp<Index>(position - mask.before, 0, positions);
    const Index high = mask.slots + std::clamp<Index>(position + mask.after + 1, 0, positions);
    std::fill(row + local(mask.slots), row + std::max(local(low), local(mask.slots)), kHiddenScore);
    std::fill(row + local(std::max(high, mask.slots)), row + tile.keys, kHiddenScore);
    if (mask.not_self) {
      const Index self = mask.slots + position - tile.first_key;
      if (position >= 0 && self >= 0 && self < tile.keys) row[self] = kHiddenScore;
    }
    if (mask.hidden != nullptr) {
      const Index last = std::min(tile.keys, head.keys - tile.first_key);
      for (Index j = 0; j < last; ++j) {
        if (mask.hidden[tile.first_key + j] != 0) row[j] = kHiddenScore;
      }
    }
  }
}

void relative_gradient_tile(const AttentionHead& head, const Tile& tile, const float* dscores,
                            float* drelative) {
  for (Index i = 0; i < tile.queries; ++i) {
    const Index position = head.mask.first_query + tile.first_query + i;
    const Index first = std::max<Index>(head.mask.slots - tile.first_key, 0);
    const Index last = std::min(tile.keys, head.keys - tile.first_key);
    for (Index j = first; j < last; ++j) {
      const Index distance = tile.first_key + j - head.mask.slots - position;
      drelative[relative_place(head.bias, distance)] += dscores[i * tile.stride + j];
    }
  }
}

HWY_EXPORT(PackRows);
HWY_EXPORT(PackTransposed);
HWY_EXPORT(UnpackRows);
HWY_EXPORT(ScoreRows);
HWY_EXPORT(AddWeightedRows);
HWY_EXPORT(SoftmaxTile);
HWY_EXPORT(WeightsTile);
HWY_EXPORT(ScoreGradientTile);
HWY_EXPORT(AdditiveTile);
HWY_EXPORT(AdditiveGradientTile);

void pack_rows(Rows from, Index rows, Index columns, float scale, float* to, Index padded_rows) {
  HWY_DYNAMIC_DISPATCH(PackRows)(from, rows, columns, scale, to, padded_rows);
}

void pack_transposed(Rows from, Index rows, Index columns, float* to, Index padded_rows) {
  HWY_DYNAMIC_DISPATCH(PackTransposed)(from, rows, columns, to, padded_rows);
}

void unpack_rows(const float* from, Index rows, Index columns, float scale, Rows to, Store store) {
  HWY_DYNAMIC_DISPATCH(UnpackRows)(from, rows, columns, scale, to, store);
}

void score_rows(const float* q, Index queries, Index depth, Rows rows, Index count, float* scores,
                Index stride) {
  HWY_DYNAMIC_DISPATCH(ScoreRows)(q, queries, depth, rows, count, scores, stride);
}

void add_weighted_rows(const float* weights, Index stride, Index queries, Rows rows, Index count,
                       Index columns, float* sums) {
  HWY_DYNAMIC_DISPATCH(AddWeightedRows)(weights, stride, queries, rows, count, columns, sums);
}

void softmax_tile(const AttentionHead& head, const Tile& tile, float* scores,
                  RunningSoftmax running) {
  HWY_DYNAMIC_DISPATCH(SoftmaxTile)(head, tile, scores, running);
}

void weights_tile(const Tile& tile, const float* log_sums, float* scores) {
  HWY_DYNAMIC_DISPATCH(WeightsTile)(tile, log_sums, scores);
}

void score_gradient_tile(const AttentionHead& head, const Tile& tile, const float* log_sums,
                         const float* delta, float* scores, float* dweights) {
  HWY_DYNAMIC_DISPATCH(ScoreGradientTile)(head, tile, log_sums, delta, scores, dweights);
}

void additive_tile(const AttentionHead& head, const Tile& tile, const float* q,
                   const float* keys_transposed, Index key_stride, float* scores) {
  HWY_DYNAMIC_DISPATCH(AdditiveTile)(head, tile, q, keys_transposed, key_stride, scores);
}

void additive_gradient_tile(const AttentionHead& head, const Tile& tile, const float* q,
                            const float* keys_transposed, Index key_stride, const float* dscores,
                            float* dq, float* dkeys_transposed, float* da) {
  HWY_DYNAMIC_DISPATCH(AdditiveGradientTile)
  (head, tile, q, keys_transposed, key_stride, dscores, dq, dkeys_transposed, da);
}

}  // namespace heed::kernel
#endif
