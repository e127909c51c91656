#include "heed/grad/heads.h"

#include <algorithm>
#include <cmath>

#include "heed/grad/check.h"
#include "heed/grad/rotation.h"
#include "heed/kernel/matmul.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Matrix;
using kernel::Store;

Index heads_of(const char* operation, const Var& x, Index depth) {
  expect_matrix(operation, "x", x);
  if (depth < 1 || x.columns() % depth != 0) {
    fail<ShapeError>(operation, "expected heads of {} columns, got {}", depth, x.shape().text());
  }
  return x.columns() / depth;
}

}  // namespace

// y = x turned.   dx = dy turned back
Var rotary(Context& context, const Sequences& x, const Layout& positions, Index depth, float base) {
  expect_rows("rotary", x);
  const Index heads = heads_of("rotary", x.rows, depth);
  const Rotation rotation(context, x.layout, positions, {heads, depth, base});
  const Index width = heads * depth;
  const Tensor y = context.arena().tensor(x.rows.shape());
  for (Index s = 0; s < x.layout.count(); ++s) {
    const Index at = x.layout.begin(s) * width;
    rotation.turn(s, x.rows.value.data + at, y.data + at, width, Rotation::Direction::kForward);
  }
  return context.tape().record(
      "rotary", y, {x.rows}, [=, rows = x.rows](Tape& tape, const Tensor& dy) {
        const Slot dx = tape.slot(rows);
        for (Index s = 0; s < rotation.layout().count(); ++s) {
          const Index at = rotation.layout().begin(s) * width;
          rotation.turn(s, dy.data + at, dx.data + at, width, Rotation::Direction::kBack, dx.store);
        }
      });
}

// y = x e^−t.   dx = dy e^−t     dt = −Σ dy · y
Var cool_heads(Context& context, const Var& x, const Var& log_temperature) {
  expect_matrix("cool_heads", "x", x);
  const Index heads = log_temperature.value.count();
  if (heads < 1 || x.columns() % heads != 0) {
    fail<ShapeError>("cool_heads", "expected columns in {} heads, got {}", heads, x.shape().text());
  }
  const Index depth = x.columns() / heads;
  const auto scale = [=](const float* from, float* to, Store store) {
    for (Index group = 0; group < x.rows() * heads; ++group) {
      kernel::scale(depth, std::exp(-log_temperature.value[group % heads]), from + group * depth,
                    to + group * depth, store);
    }
  };
  const Tensor y = context.arena().tensor(x.shape());
  scale(x.value.data, y.data, Store::kOverwrite);
  return context.tape().record(
      "cool_heads", y, {x, log_temperature}, [=](Tape& tape, const Tensor& dy) {
        if (const Slot dx = tape.slot(x)) {
          scale(dy.data, dx.data, dx.store);
        }
        float* dt = tape.slot(log_temperature).adding(heads);
        if (dt == nullptr) return;
        for (Index group = 0; group < x.rows() * heads; ++group) {
          dt[group % heads] -= kernel::dot(depth, dy.data + group * depth, y.data + group * depth);
        }
      });
}

// y_h = x_h W_h.   dx_h = dy_h W_hᵀ     dW_h = x_hᵀ dy_h
Var head_product(Context& context, const Var& x, const Var& weight) {
  if (weight.shape().rank() != 3) {
    fail<ShapeError>("head_product", "expected a weight of (heads, depth, out), got {}",
                     weight.shape().text());
  }
  const Index heads = weight.shape()[0], depth = weight.shape()[1], out = weight.shape()[2];
  expect_shape("head_product", "x", x, {x.rows(), heads * depth});
  const Index rows = x.rows();
  const Tensor y = context.arena().tensor({rows, heads * out});
  const auto x_of = [=](float* data, Index h) {
    return Matrix(data + h * depth, rows, depth, heads * depth);
  };
  const auto y_of = [=](float* data, Index h) {
    return Matrix(data + h * out, rows, out, heads * out);
  };
  const auto w_of = [=](float* data, Index h) {
    return Matrix(data + h * depth * out, depth, out);
  };
  for (Index h = 0; h < heads; ++h) {
    kernel::product(x_of(x.value.data, h), w_of(weight.value.data, h), y_of(y.data, h),
                    Store::kOverwrite);
  }
  return context.tape().record("head_product", y, {x, weight}, [=](Tape& tape, const Tensor& dy) {
    const Slot dx = tape.slot(x);
    const Slot dw = tape.slot(weight);
    for (Index h = 0; h < heads; ++h) {
      if (dx) {
        kernel::product_transposed_right(y_of(dy.data, h), w_of(weight.value.data, h),
                                         x_of(dx.data, h), dx.store);
      }
      if (dw) {
        kernel::product_transposed_left(x_of(x.value.data, h), y_of(dy.data, h), w_of(dw.data, h),
                                        dw.store);
      }
    }
  });
}

// y = Σ_h x_h / heads.   dx_h = dy / heads
Var average_heads(Context& context, const Var& x, Index heads) {
  expect_matrix("average_heads", "x", x);
  if (heads < 1 || x.columns() % heads != 0) {
    fail<ShapeError>("average_heads", "expected columns in {} heads, got {}", heads,
                     x.shape().text());
  }
  const Index depth = x.columns() / heads;
  const float inverse = 1.0f / static_cast<float>(heads);
  const Tensor y = context.arena().zeros({x.rows(), depth});
  for (Index group = 0; group < x.rows() * heads; ++group) {
    kernel::scale(depth, inverse, x.value.data + group * depth, y.row(group / heads), Store::kAdd);
  }
  return context.tape().record("average_heads", y, {x}, [=](Tape& tape, const Tensor& dy) {
    const Slot dx = tape.slot(x);
    for (Index group = 0; group < x.rows() * heads; ++group) {
      kernel::scale(depth, inverse, dy.row(group / heads), dx.data + group * depth, dx.store);
    }
  });
}

}  // namespace heed::grad
