#include "heed/grad/heads.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "heed/grad/check.h"
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

// The cosine and the sine of k · rate, those of k + 1 from those of k: computed anew they were 4 %
// of evaluating long texts. In a million steps the error stays below that of a float.
class Turn {
 public:
  explicit Turn(double rate) : rate_(rate), step_(std::polar(1.0, rate)) {}
  void to(Index k) {
    if (k == k_ + 1) {
      k_ = k;
      now_ = {now_.real() * step_.real() - now_.imag() * step_.imag(),
              now_.real() * step_.imag() + now_.imag() * step_.real()};
    } else if (k != k_) {
      start(k);
    }
  }
  float cosine() const { return static_cast<float>(now_.real()); }
  float sine() const { return static_cast<float>(now_.imag()); }

 private:
  void start(Index k) {
    k_ = k;
    now_ = std::polar(1.0, rate_ * static_cast<double>(k));
  }

  double rate_;
  std::complex<double> step_;
  Index k_ = 0;
  std::complex<double> now_ = 1.0;
};

}  // namespace

// (y₁, y₂) = (c x₁ − s x₂, s x₁ + c x₂), a turn; its transpose, the turn back, carries the
// gradient:
//   (dx₁, dx₂) = (c dy₁ + s dy₂, −s dy₁ + c dy₂)
Var rotary(Context& context, const Sequences& x, const Layout& positions, Index depth, float base) {
  expect_rows("rotary", x);
  const Index heads = heads_of("rotary", x.rows, depth);
  if (depth % 2 != 0) fail<ShapeError>("rotary", "expected an even depth per head, got {}", depth);
  expect_last("rotary", x.layout, positions);
  const Index half = depth / 2, width = heads * depth;
  // The places from `begin` to `end` have rows: where texts go on, that is the last place.
  Index begin = std::numeric_limits<Index>::max(), end = 0;
  for (Index s = 0; s < positions.count(); ++s) {
    begin = std::min(begin, positions.length(s) - x.layout.length(s));
    end = std::max(end, positions.length(s));
  }
  begin = std::min(begin, end);
  const Tensor cosine = context.arena().tensor({end - begin, half});
  const Tensor sine = context.arena().tensor({end - begin, half});
  const Extent grid = positions.grid();
  // Of a picture, the first pairs turn with the line and the others with the column.
  const Index lines = grid.count() > 0 ? (half + 1) / 2 : half;
  for (Index i = 0; i < half; ++i) {
    const Index pair = i < lines ? i : i - lines;
    const double rate = std::pow(static_cast<double>(base),
                                 -2.0 * static_cast<double>(pair) / static_cast<double>(depth));
    Turn turn(rate);
    for (Index p = begin; p < end; ++p) {
      turn.to(grid.count() == 0 ? p : i < lines ? p / grid.width : p % grid.width);
      cosine[(p - begin) * half + i] = turn.cosine();
      sine[(p - begin) * half + i] = turn.sine();
    }
  }
  const Layout layout = x.layout;
  const auto turn = [=](const float* from, float* to, float direction, Store store) {
    for (Index s = 0; s < layout.count(); ++s) {
      const Index first = positions.length(s) - layout.length(s) - begin;
      for (Index i = 0; i < layout.length(s); ++i) {
        const float* c = cosine.row(first + i);
        const float* sn = sine.row(first + i);
        for (Index h = 0; h < heads; ++h) {
          const Index at = (layout.begin(s) + i) * width + h * depth;
          const float* a = from + at;
          float* y = to + at;
          for (Index j = 0; j < half; ++j) {
            const float one = c[j] * a[j] - direction * sn[j] * a[j + half];
            const float two = direction * sn[j] * a[j] + c[j] * a[j + half];
            y[j] = store == Store::kAdd ? y[j] + one : one;
            y[j + half] = store == Store::kAdd ? y[j + half] + two : two;
          }
        }
      }
    }
  };
  const Tensor y = context.arena().tensor(x.rows.shape());
  turn(x.rows.value.data, y.data, 1.0f, Store::kOverwrite);
  return context.tape().record("rotary", y, {x.rows},
                               [=, rows = x.rows](Tape& tape, const Tensor& dy) {
                                 const Slot dx = tape.slot(rows);
                                 turn(dy.data, dx.data, -1.0f, dx.store);
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
