#include "heed/nn/kept_convolution.h"

#include <algorithm>

#include "heed/grad/kept_vectors.h"
#include "heed/grad/packed_weights.h"
#include "heed/kernel/activation.h"
#include "heed/kernel/rows.h"

namespace heed::nn {
namespace {

// (out, in, taps) as (taps, out, in): the products of all taps side by side.
kernel::Matrix taps_side_by_side(Context& context, const Tensor& weight) {
  const Index out = weight.shape[0], in = weight.shape[1], taps = weight.shape[2];
  const Tensor result = context.arena().tensor({taps * out, in});
  for (Index o = 0; o < out; ++o) {
    for (Index i = 0; i < in; ++i) {
      for (Index tap = 0; tap < taps; ++tap) {
        result.row(tap * out + o)[i] = weight.data[(o * in + i) * taps + tap];
      }
    }
  }
  return {result.data, taps * out, in};
}

// What some rows of x add to their neighbours: (rows, taps · out)
Tensor products_of(Context& context, const Sequences& x, std::span<const Index> rows,
                   const Convolution1d& convolution, const PrepareRows& prepare) {
  Arena& arena = context.arena();
  const Tensor& weight = convolution.weight().value;
  const Index out = weight.shape[0], in = weight.shape[1], taps = weight.shape[2];
  const auto count = static_cast<Index>(rows.size());
  const Tensor gathered = arena.tensor({count, in});
  for (Index i = 0; i < count; ++i) {
    std::copy_n(x.rows.value.row(rows[static_cast<std::size_t>(i)]), in, gathered.row(i));
  }
  const Tensor prepared = prepare(context, {gathered, -1}).value;  // (rows, in)
  const Tensor products = arena.tensor({count, taps * out});
  const Tensor stacked{weight.data, {taps * out, in}};  // by which it is found again
  const kernel::PackedWeight& packed =
      *context.packed().find(stacked, count, [&] { return taps_side_by_side(context, weight); });
  packed({prepared.data, count, in}, {products.data, count, taps * out});
  return products;
}

}  // namespace

std::optional<Var> kept_convolution(Context& context, const Sequences& x,
                                    const Convolution1d& convolution, Activation activation,
                                    const PrepareRows& prepare) {
  if (x.kept.empty() || !kernel::PackedWeight::helps()) return {};
  KeptVectors* kept = context.kept_vectors(convolution.weight());
  if (kept == nullptr) return {};
  Arena& arena = context.arena();
  const Index rows = x.layout.rows();
  const auto parts = arena.array<const float*>(rows);  // of each row, (taps, out)
  const auto missing = arena.array<Index>(rows);
  std::size_t found = 0;
  for (std::size_t row = 0; row < parts.size(); ++row) {
    const std::size_t ahead = row + KeptVectors::kAhead;
    if (ahead < parts.size()) kept->prefetch(x.kept[ahead]);
    parts[row] = x.kept[row] < 0 ? nullptr : kept->find(x.kept[row], {});
    if (parts[row] == nullptr) missing[found++] = static_cast<Index>(row);
  }
  if (found > 0) {
    const Tensor made = products_of(context, x, missing.first(found), convolution, prepare);
    for (std::size_t i = 0; i < found; ++i) {
      const auto row = static_cast<std::size_t>(missing[i]);
      parts[row] = made.row(static_cast<Index>(i));
      if (x.kept[row] < 0) continue;
      kept->keep(x.kept[row], {}, {parts[row], static_cast<std::size_t>(made.columns())});
    }
  }
  const Shape& weight = convolution.weight().value.shape;
  const Index out = weight[0], taps = weight[2], middle = taps / 2;
  const Tensor y = arena.tensor({rows, out});
  const auto added = arena.array<const float*>(taps);
  for (Index s = 0; s < x.layout.count(); ++s) {
    const Index begin = x.layout.begin(s), end = x.layout.end(s);
    for (Index row = begin; row < end; ++row) {
      std::size_t count = 0;
      const auto add = [&](Index tap) {
        added[count++] = parts[static_cast<std::size_t>(row + tap - middle)] + tap * out;
      };
      add(middle);
      for (Index tap = 0; tap < taps; ++tap) {
        const Index other = row + tap - middle;
        if (tap != middle && other >= begin && other < end) add(tap);
      }
      kernel::sum(out, added.first(count), y.row(row));
    }
  }
  kernel::activation_forward({activation, rows, out, convolution.bias().value.data, {}}, y.data,
                             nullptr);
  return Var{y, -1};
}

}  // namespace heed::nn
