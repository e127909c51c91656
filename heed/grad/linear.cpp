#include "heed/grad/linear.h"

#include "heed/grad/packed_weights.h"
#include "heed/grad/parts.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Matrix;
using kernel::Store;

Matrix matrix(const Tensor& tensor) { return {tensor.data, tensor.rows(), tensor.columns()}; }
Matrix matrix(float* data, const Tensor& like) { return {data, like.rows(), like.columns()}; }

// y = x Wᵀ
void apply_weight(Context& context, const Tensor& x, const Tensor& weight, const Tensor& y) {
  const kernel::PackedWeight* packed = nullptr;
  if (context.packed_or_null() != nullptr && !context.tape().recording()) {
    packed = context.packed().find(weight, x.rows(), [&] { return matrix(weight); });
  }
  if (packed != nullptr) {
    (*packed)(matrix(x), matrix(y));
  } else {
    kernel::product_transposed_right(matrix(x), matrix(weight), matrix(y), Store::kOverwrite);
  }
}

void expect_rotation(const LinearEnd& end, Index rows, Index out) {
  const Rotation& rotation = end.rotation;
  if (!rotation) return;
  if (end.activation != Activation::kNone || end.dropout) {
    fail<UsageError>("linear", "expected a rotation without activation and dropout");
  }
  if (rotation.layout().rows() != rows || rotation.columns() > out) {
    fail<ShapeError>("linear", "expected a rotation of ({}, {} or fewer), got ({}, {})", rows, out,
                     rotation.layout().rows(), rotation.columns());
  }
}

// Calls body(job, first row, turn) for parts of the rows, where turn(data, direction) turns those
// rows of `data` in place: one sequence at a time, so that they are still in the cache.
template <typename Body>
void for_each_end(const kernel::ActivationJob& job, const LinearEnd& end, Body body) {
  const Rotation& rotation = end.rotation;
  if (!rotation) {
    for_each_part(job, end.dropout, job.rows, [&](const kernel::ActivationJob& part, Index row) {
      body(part, row, [](float*, Rotation::Direction) {});
    });
    return;
  }
  for (Index s = 0; s < rotation.layout().count(); ++s) {
    kernel::ActivationJob part = job;
    part.rows = rotation.layout().length(s);
    body(part, rotation.layout().begin(s), [&](float* rows, Rotation::Direction direction) {
      rotation.turn(s, rows, rows, job.columns, direction);
    });
  }
}

}  // namespace

// y = dropout(f(a)) or turned(a), a = x Wᵀ + b.  Saves x, and a or y, whichever tells f'.
//   da = f'(a) · dropout(dy), or dy turned back     dx = da W     dW = daᵀ x     db = Σ_rows da
Var linear(Context& context, const Var& x, const Var& weight, const Var& bias,
           const LinearEnd& end) {
  expect_matrix("linear", "x", x);
  expect_matrix("linear", "weight", weight);
  if (x.columns() != weight.columns()) {
    fail<ShapeError>("linear", "expected x of (rows, {}) for a weight of {}, got {}",
                     weight.columns(), weight.shape().text(), x.shape().text());
  }
  const Index rows = x.rows(), out = weight.rows();
  if (bias.value.data != nullptr) expect_shape("linear", "bias", bias, {out});
  expect_dropout("linear", end.dropout, rows);
  expect_rotation(end, rows, out);

  const Tensor y = context.arena().tensor({rows, out});
  apply_weight(context, x.value, weight.value, y);
  const kernel::ActivationJob job{end.activation, rows, out, bias.value.data, {}};
  const bool keep = needs_input(end.activation);
  const Tensor input = keep ? context.arena().tensor({rows, out}) : Tensor{};
  for_each_end(job, end, [&](const kernel::ActivationJob& part, Index row, auto turn) {
    kernel::activation_forward(part, y.row(row), keep ? input.row(row) : nullptr);
    turn(y.row(row), Rotation::Direction::kForward);
  });

  return context.tape().record("linear", y, {x, weight, bias}, [=](Tape& tape, const Tensor& dy) {
    const Slot db = tape.slot(bias);
    float* db_sum = db.adding(out);
    for_each_end(job, end, [&](const kernel::ActivationJob& part, Index row, auto turn) {
      turn(dy.row(row), Rotation::Direction::kBack);
      kernel::activation_backward(part, y.row(row), keep ? input.row(row) : nullptr, dy.row(row),
                                  db_sum);
    });
    if (const Slot dx = tape.slot(x)) {
      kernel::product(matrix(dy), matrix(weight.value), matrix(dx.data, x.value), dx.store);
    }
    if (const Slot dw = tape.slot(weight)) {
      kernel::product_transposed_left(matrix(dy), matrix(x.value), matrix(dw.data, weight.value),
                                      dw.store);
    }
  });
}

// y = x W.   dx = dy Wᵀ     dW = xᵀ dy
Var product(Context& context, const Var& x, const Var& weight) {
  expect_matrix("product", "x", x);
  expect_matrix("product", "weight", weight);
  if (x.columns() != weight.rows()) {
    fail<ShapeError>("product", "expected x of (rows, {}) for a weight of {}, got {}",
                     weight.rows(), weight.shape().text(), x.shape().text());
  }
  const Tensor y = context.arena().tensor({x.rows(), weight.columns()});
  kernel::product(matrix(x.value), matrix(weight.value), matrix(y), Store::kOverwrite);
  return context.tape().record("product", y, {x, weight}, [=](Tape& tape, const Tensor& dy) {
    if (const Slot dx = tape.slot(x)) {
      kernel::product_transposed_right(matrix(dy), matrix(weight.value), matrix(dx.data, x.value),
                                       dx.store);
    }
    if (const Slot dw = tape.slot(weight)) {
      kernel::product_transposed_left(matrix(x.value), matrix(dy), matrix(dw.data, weight.value),
                                      dw.store);
    }
  });
}

// y = f(x).   dx = f'(x) · dy
Var activation(Context& context, const Var& x, Activation kind) {
  const Tensor y = context.arena().copy(x.value);
  const kernel::ActivationJob job{kind, x.rows(), x.columns(), nullptr, {}};
  const Tensor input = needs_input(kind) ? context.arena().tensor(x.shape()) : Tensor{};
  kernel::activation_forward(job, y.data, input.data);
  return context.tape().record("activation", y, {x}, [=](Tape& tape, const Tensor& dy) {
    kernel::activation_backward(job, y.data, input.data, dy.data, nullptr);
    tape.give(x, dy);
  });
}

// y = left ⊙ right.   dleft = dy ⊙ right     dright = dy ⊙ left
Var multiply(Context& context, const Var& left, const Var& right) {
  expect_shape("multiply", "right", right, left.shape());
  const Tensor y = context.arena().tensor(left.shape());
  kernel::multiply(y.count(), left.value.data, right.value.data, y.data, Store::kOverwrite);
  return context.tape().record("multiply", y, {left, right}, [=](Tape& tape, const Tensor& dy) {
    if (const Slot d = tape.slot(left)) {
      kernel::multiply(dy.count(), dy.data, right.value.data, d.data, d.store);
    }
    if (const Slot d = tape.slot(right)) {
      kernel::multiply(dy.count(), dy.data, left.value.data, d.data, d.store);
    }
  });
}

// y = a left + b right.   dleft = a dy     dright = b dy
Var add(Context& context, const Var& left, const Var& right, float a, float b) {
  expect_shape("add", "right", right, left.shape());
  const Tensor y = context.arena().tensor(left.shape());
  kernel::scale(y.count(), a, left.value.data, y.data, Store::kOverwrite);
  kernel::scale(y.count(), b, right.value.data, y.data, Store::kAdd);
  return context.tape().record("add", y, {left, right}, [=](Tape& tape, const Tensor& dy) {
    if (const Slot d = tape.slot(left)) kernel::scale(dy.count(), a, dy.data, d.data, d.store);
    if (const Slot d = tape.slot(right)) kernel::scale(dy.count(), b, dy.data, d.data, d.store);
  });
}

// y_i = w_i x_i.   dx_i = w_i dy_i
Var scale_rows(Context& context, const Var& x, std::span<const float> weights) {
  expect_matrix("scale_rows", "x", x);
  if (static_cast<Index>(weights.size()) != x.rows()) {
    fail<ShapeError>("scale_rows", "expected {} weights, one for each row, got {}", x.rows(),
                     weights.size());
  }
  const auto kept = context.arena().copy(weights);
  const auto scale = [=, columns = x.columns()](const float* from, float* to, Store store) {
    for (std::size_t row = 0; row < kept.size(); ++row) {
      const Index at = static_cast<Index>(row) * columns;
      kernel::scale(columns, kept[row], from + at, to + at, store);
    }
  };
  const Tensor y = context.arena().tensor(x.shape());
  scale(x.value.data, y.data, Store::kOverwrite);
  return context.tape().record("scale_rows", y, {x}, [=](Tape& tape, const Tensor& dy) {
    const Slot dx = tape.slot(x);
    scale(dy.data, dx.data, dx.store);
  });
}

// y = x · factor.   dx = dy · factor
Var dropout(Context& context, const Var& x, const SequenceDropout& dropout) {
  if (!dropout) return x;
  expect_dropout("dropout", dropout, x.rows());
  const Tensor y = context.arena().tensor(x.shape());
  apply_dropout(dropout, x.columns(), x.value.data, y.data, 1.0f, Store::kOverwrite);
  return context.tape().record("dropout", y, {x}, [=](Tape& tape, const Tensor& dy) {
    const Slot dx = tape.slot(x);
    apply_dropout(dropout, x.columns(), dy.data, dx.data, 1.0f, dx.store);
  });
}

}  // namespace heed::grad
