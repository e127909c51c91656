#include "heed/grad/pool.h"

#include <algorithm>
#include <cmath>

#include "heed/grad/check.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Store;

// y = Σ_i x_i / n, or without the n.   dx_i = dy / n
Var sum_pool(Context& context, const Sequences& x, Pool kind) {
  const Layout layout = x.layout;
  const auto share = [=](Index s) {
    return kind == Pool::kMean ? 1.0f / static_cast<float>(layout.length(s)) : 1.0f;
  };
  const Index width = x.width();
  const Tensor y = context.arena().zeros({layout.count(), width});
  for (Index s = 0; s < layout.count(); ++s) {
    const float inverse = share(s);
    for (Index row = layout.begin(s); row < layout.end(s); ++row) {
      kernel::scale(width, inverse, x.rows.value.row(row), y.row(s), Store::kAdd);
    }
  }
  return context.tape().record(
      "sum_pool", y, {x.rows}, [=, rows = x.rows](Tape& tape, const Tensor& dy) {
        const Slot dx = tape.slot(rows);
        for (Index s = 0; s < layout.count(); ++s) {
          const float inverse = share(s);
          for (Index row = layout.begin(s); row < layout.end(s); ++row) {
            kernel::scale(width, inverse, dy.row(s), dx.data + row * width, dx.store);
          }
        }
      });
}

// y_c = x_ic at the row i that `chosen` names for sequence s and column c.   dx_ic = dy_c there
Var chosen_pool(Context& context, OperationName operation, const Sequences& x,
                std::span<const Index> chosen) {
  const Index count = x.layout.count(), width = x.width();
  const Tensor y = context.arena().tensor({count, width});
  for (Index i = 0; i < count * width; ++i) {
    y[i] = x.rows.value[chosen[static_cast<std::size_t>(i)] * width + i % width];
  }
  return context.tape().record(operation, y, {x.rows},
                               [=, rows = x.rows](Tape& tape, const Tensor& dy) {
                                 float* dx = tape.slot(rows).adding(rows.value.count());
                                 for (Index i = 0; i < count * width; ++i) {
                                   const Index row = chosen[static_cast<std::size_t>(i)];
                                   dx[row * width + i % width] += dy[i];
                                 }
                               });
}

}  // namespace

Var pool(Context& context, const Sequences& x, Pool kind) {
  expect_rows("pool", x);
  expect_not_empty("pool", x.layout);
  if (kind == Pool::kMean || kind == Pool::kSum) return sum_pool(context, x, kind);
  const Layout& layout = x.layout;
  const Index width = x.width();
  const auto chosen = context.arena().array<Index>(layout.count() * width);
  for (Index s = 0; s < layout.count(); ++s) {
    for (Index c = 0; c < width; ++c) {
      Index row = kind == Pool::kLast ? layout.end(s) - 1 : layout.begin(s);
      if (kind == Pool::kMax) {
        for (Index other = layout.begin(s); other < layout.end(s); ++other) {
          const float value = x.rows.value[other * width + c];
          if (value > x.rows.value[row * width + c] || std::isnan(value)) row = other;
        }
      }
      chosen[static_cast<std::size_t>(s * width + c)] = row;
    }
  }
  if (kind == Pool::kMax) return chosen_pool(context, "max_pool", x, chosen);
  return chosen_pool(context, "end_pool", x, chosen);
}

// y = Σ_i w_i x_i, w = softmax(s).   dx_i = w_i dy     ds_i = w_i (dy · x_i − dy · y)
Var weighted_pool(Context& context, const Sequences& x, const Var& scores, float* weights) {
  expect_rows("weighted_pool", x);
  expect_not_empty("weighted_pool", x.layout);
  expect_shape("weighted_pool", "scores", scores, {x.rows.rows(), 1});
  const Layout layout = x.layout;
  const Index width = x.width();
  const Tensor w = context.arena().tensor({layout.rows()});
  const Tensor y = context.arena().zeros({layout.count(), width});
  for (Index s = 0; s < layout.count(); ++s) {
    const float* from = scores.value.data + layout.begin(s);
    const kernel::LogSum total = kernel::log_sum(layout.length(s), from);
    kernel::exp_row(layout.length(s), from, -total.largest, 1.0f / total.sum,
                    w.data + layout.begin(s), Store::kOverwrite);
    for (Index row = layout.begin(s); row < layout.end(s); ++row) {
      kernel::scale(width, w[row], x.rows.value.row(row), y.row(s), Store::kAdd);
    }
  }
  if (weights != nullptr) std::copy_n(w.data, w.count(), weights);
  return context.tape().record(
      "weighted_pool", y, {x.rows, scores}, [=, rows = x.rows](Tape& tape, const Tensor& dy) {
        const Slot dx = tape.slot(rows);
        const Slot ds = tape.slot(scores);
        for (Index s = 0; s < layout.count(); ++s) {
          const float mean = kernel::dot(width, dy.row(s), y.row(s));
          for (Index row = layout.begin(s); row < layout.end(s); ++row) {
            if (dx) kernel::scale(width, w[row], dy.row(s), dx.data + row * width, dx.store);
            if (!ds) continue;
            const float value =
                w[row] * (kernel::dot(width, dy.row(s), rows.value.row(row)) - mean);
            ds.data[row] = ds.store == Store::kAdd ? ds.data[row] + value : value;
          }
        }
      });
}

}  // namespace heed::grad
