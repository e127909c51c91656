#include "heed/grad/norm.h"

#include <cmath>

#include "heed/grad/parts.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Store;

float* at(float* data, Index offset) { return data == nullptr ? nullptr : data + offset; }

Var normalise(Context& context, OperationName name, const Var& x, const Var& branch,
              const NormParameters& parameters, const SequenceDropout& dropout) {
  const char* operation = name.text();
  expect_matrix(operation, "x", x);
  const Index rows = x.rows(), columns = x.columns();
  expect_shape(operation, "gain", parameters.gain, {columns});
  if (parameters.bias.value.data != nullptr) {
    expect_shape(operation, "bias", parameters.bias, {columns});
  }
  const bool joined = branch.value.data != nullptr;
  if (joined) expect_shape(operation, "branch", branch, x.shape());
  expect_dropout(operation, dropout, rows);
  Arena& arena = context.arena();
  const Tensor y = arena.tensor(x.shape());
  const Tensor z = joined ? arena.tensor(x.shape()) : x.value;
  const kernel::NormStatistics statistics{arena.tensor({rows}).data, arena.tensor({rows}).data};
  const kernel::NormJob job{
      parameters.kind,    rows, columns, parameters.gain.value.data, parameters.bias.value.data,
      parameters.epsilon, {}};
  for_each_part(job, dropout, rows, [&](const kernel::NormJob& part, Index row) {
    const Index offset = row * columns;
    kernel::norm_forward(part, x.value.data + offset, at(branch.value.data, offset),
                         joined ? z.data + offset : nullptr, y.data + offset,
                         {statistics.mean + row, statistics.scale + row});
  });
  return context.tape().record(
      name, y, {x, branch, parameters.gain, parameters.bias}, [=](Tape& tape, const Tensor& dy) {
        const Slot dx = tape.slot(x);
        const Slot dbranch = tape.slot(branch);
        float* dgain = tape.slot(parameters.gain).adding(columns);
        float* dbias = tape.slot(parameters.bias).adding(columns);
        for_each_part(job, dropout, rows, [&](const kernel::NormJob& part, Index row) {
          const Index offset = row * columns;
          kernel::norm_backward(part, z.data + offset,
                                {statistics.mean + row, statistics.scale + row}, dy.data + offset,
                                {at(dx.data, offset), dx.store, at(dbranch.data, offset),
                                 dbranch.store, dgain, dbias});
        });
      });
}

}  // namespace

Var norm(Context& context, const Var& x, const NormParameters& parameters) {
  return normalise(context, "norm", x, {}, parameters, {});
}

Var residual_norm(Context& context, const Var& x, const Var& branch,
                  const NormParameters& parameters, const SequenceDropout& dropout) {
  return normalise(context, "residual_norm", x, branch, parameters, dropout);
}

// y = x + a · dropout(b).   dx = dy     db = a · dropout(dy)
Var residual(Context& context, const Var& x, const Var& branch, const SequenceDropout& dropout,
             float scale) {
  expect_shape("residual", "branch", branch, x.shape());
  expect_dropout("residual", dropout, x.rows());
  const auto add_branch = [=](const float* from, float* to, Store store) {
    if (dropout) {
      apply_dropout(dropout, x.columns(), from, to, scale, store);
    } else {
      kernel::scale(x.value.count(), scale, from, to, store);
    }
  };
  Tensor y;
  if (dropout) {
    y = context.arena().copy(x.value);
    add_branch(branch.value.data, y.data, Store::kAdd);
  } else {
    y = context.arena().tensor(x.shape());
    kernel::add_scaled(y.count(), x.value.data, scale, branch.value.data, y.data);
  }
  return context.tape().record("residual", y, {x, branch}, [=](Tape& tape, const Tensor& dy) {
    if (const Slot db = tape.slot(branch)) add_branch(dy.data, db.data, db.store);
    tape.give(x, dy);
  });
}

// u = x / n, n = √(Σ x² + ε).   dx = (du − u Σ (du u)) / n
Var unit_length(Context& context, const Var& x, Index width) {
  expect_matrix("unit_length", "x", x);
  if (width < 1 || x.columns() % width != 0) {
    fail<ShapeError>("unit_length", "expected columns in groups of {}, got {}", width,
                     x.shape().text());
  }
  constexpr float kEpsilon = 1e-12f;
  const Index groups = x.value.count() / width;
  const Tensor u = context.arena().tensor(x.shape());
  const Tensor inverse = context.arena().tensor({groups});
  for (Index g = 0; g < groups; ++g) {
    const float* from = x.value.data + g * width;
    inverse[g] = 1.0f / std::sqrt(kernel::dot(width, from, from) + kEpsilon);
    kernel::scale(width, inverse[g], from, u.data + g * width, Store::kOverwrite);
  }
  return context.tape().record("unit_length", u, {x}, [=](Tape& tape, const Tensor& du) {
    const Slot dx = tape.slot(x);
    for (Index g = 0; g < groups; ++g) {
      const float* unit = u.data + g * width;
      const float* gradient = du.data + g * width;
      const float along = kernel::dot(width, gradient, unit);
      kernel::scale(width, inverse[g], gradient, dx.data + g * width, dx.store);
      kernel::scale(width, -along * inverse[g], unit, dx.data + g * width, Store::kAdd);
    }
  });
}

}  // namespace heed::grad
