#include "heed/grad/pool.h"

#include <algorithm>
#include <numeric>

#include "heed/grad/check.h"
#include "heed/kernel/pool.h"
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

// y_c = max_i x_ic.  Saves which row it was.   dx_ic = dy_c there
Var max_pool(Context& context, const Sequences& x) {
  const Layout layout = x.layout;
  const Index width = x.width();
  const auto rows = context.arena().array<std::int32_t>(layout.rows());
  std::iota(rows.begin(), rows.end(), 0);
  const auto job = [=](Index s) {
    return kernel::MaxPool{1, layout.length(s), width, rows.data() + layout.begin(s)};
  };
  const Tensor y = context.arena().tensor({layout.count(), width});
  const Tensor place = context.arena().tensor({layout.count(), width});
  for (Index s = 0; s < layout.count(); ++s) {
    kernel::max_pool(job(s), x.rows.value.data, y.row(s), place.row(s));
  }
  return context.tape().record("max_pool", y, {x.rows},
                               [=, from = x.rows](Tape& tape, const Tensor& dy) {
                                 float* dx = tape.slot(from).adding(from.value.count());
                                 for (Index s = 0; s < layout.count(); ++s) {
                                   kernel::max_pool_backward(job(s), dy.row(s), place.row(s), dx);
                                 }
                               });
}

// y = the first or the last row.   dx = dy there
Var end_pool(Context& context, const Sequences& x, Pool kind) {
  const Layout layout = x.layout;
  const Index width = x.width();
  const auto row = [=](Index s) {
    return kind == Pool::kLast ? layout.end(s) - 1 : layout.begin(s);
  };
  const Tensor y = context.arena().tensor({layout.count(), width});
  for (Index s = 0; s < layout.count(); ++s) {
    std::copy_n(x.rows.value.row(row(s)), width, y.row(s));
  }
  return context.tape().record(
      "end_pool", y, {x.rows}, [=, from = x.rows](Tape& tape, const Tensor& dy) {
        float* dx = tape.slot(from).adding(from.value.count());
        for (Index s = 0; s < layout.count(); ++s) {
          kernel::scale(width, 1.0f, dy.row(s), dx + row(s) * width, Store::kAdd);
        }
      });
}

}  // namespace

Var pool(Context& context, const Sequences& x, Pool kind) {
  expect_rows("pool", x);
  expect_not_empty("pool", x.layout);
  if (kind == Pool::kMean || kind == Pool::kSum) return sum_pool(context, x, kind);
  return kind == Pool::kMax ? max_pool(context, x) : end_pool(context, x, kind);
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
