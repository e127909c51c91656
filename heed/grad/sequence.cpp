#include "heed/grad/sequence.h"

#include "heed/grad/check.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Store;

Layout joined(Context& context, const Layout& layout, auto extra) {
  const auto lengths = context.arena().array<Index>(layout.count());
  for (Index s = 0; s < layout.count(); ++s) {
    lengths[static_cast<std::size_t>(s)] = layout.length(s) + extra(s);
  }
  return Layout::of(context.arena(), lengths, layout.first());
}

// Copies or adds whole rows.
void move_rows(const float* from, float* to, Index rows, Index width, Store store) {
  kernel::scale(rows * width, 1.0f, from, to, store);
}

}  // namespace

// y = [a; b] for each sequence.   da, db = the parts of dy
Sequences concatenate(Context& context, const Sequences& first, const Sequences& second) {
  expect_rows("concatenate", first);
  expect_rows("concatenate", second);
  if (first.layout.count() != second.layout.count() || first.width() != second.width()) {
    fail<ShapeError>("concatenate", "expected {} sequences of width {}, got {} of width {}",
                     first.layout.count(), first.width(), second.layout.count(), second.width());
  }
  const Layout a = first.layout, b = second.layout;
  const Layout layout = joined(context, a, [&](Index s) { return b.length(s); });
  const Index width = first.width();
  const Tensor y = context.arena().tensor({layout.rows(), width});
  for (Index s = 0; s < layout.count(); ++s) {
    float* to = y.row(layout.begin(s));
    move_rows(first.rows.value.row(a.begin(s)), to, a.length(s), width, Store::kOverwrite);
    move_rows(second.rows.value.row(b.begin(s)), to + a.length(s) * width, b.length(s), width,
              Store::kOverwrite);
  }
  const Var rows = context.tape().record(
      "concatenate", y, {first.rows, second.rows},
      [=, x1 = first.rows, x2 = second.rows](Tape& tape, const Tensor& dy) {
        const Slot d1 = tape.slot(x1);
        const Slot d2 = tape.slot(x2);
        for (Index s = 0; s < layout.count(); ++s) {
          const float* from = dy.row(layout.begin(s));
          if (d1) move_rows(from, d1.data + a.begin(s) * width, a.length(s), width, d1.store);
          if (d2) {
            move_rows(from + a.length(s) * width, d2.data + b.begin(s) * width, b.length(s), width,
                      d2.store);
          }
        }
      });
  return {rows, layout};
}

// y = [r; x] for each sequence.   dr = Σ_sequences its part of dy     dx = the rest
Sequences prepend(Context& context, const Var& rows, const Sequences& x) {
  expect_rows("prepend", x);
  expect_shape("prepend", "rows", rows, {rows.rows(), x.width()});
  const Layout old = x.layout;
  const Index count = rows.rows(), width = x.width();
  const Layout layout = joined(context, old, [&](Index) { return count; });
  const Tensor y = context.arena().tensor({layout.rows(), width});
  for (Index s = 0; s < layout.count(); ++s) {
    float* to = y.row(layout.begin(s));
    move_rows(rows.value.data, to, count, width, Store::kOverwrite);
    move_rows(x.rows.value.row(old.begin(s)), to + count * width, old.length(s), width,
              Store::kOverwrite);
  }
  const Var result = context.tape().record(
      "prepend", y, {rows, x.rows}, [=, source = x.rows](Tape& tape, const Tensor& dy) {
        float* dr = tape.slot(rows).adding(rows.value.count());
        const Slot dx = tape.slot(source);
        for (Index s = 0; s < layout.count(); ++s) {
          const float* from = dy.row(layout.begin(s));
          if (dr != nullptr) move_rows(from, dr, count, width, Store::kAdd);
          if (dx) {
            move_rows(from + count * width, dx.data + old.begin(s) * width, old.length(s), width,
                      dx.store);
          }
        }
      });
  return {result, layout};
}

// y = the end of x.   dx = dy there, 0 elsewhere
Var last_rows(Context& context, const Sequences& x, const Layout& layout) {
  expect_rows("last_rows", x);
  if (x.layout == layout) return x.rows;
  const Layout from = x.layout;
  if (layout.count() != from.count()) {
    fail<ShapeError>("last_rows", "expected a layout of {} sequences, got {}", from.count(),
                     layout.count());
  }
  for (Index s = 0; s < from.count(); ++s) {
    if (layout.length(s) > from.length(s)) {
      fail<ShapeError>("last_rows", "expected at most {} rows of sequence {}, got {}",
                       from.length(s), from.first() + s, layout.length(s));
    }
  }
  const Index width = x.width();
  const auto source = [=](Index s) { return (from.end(s) - layout.length(s)) * width; };
  const Tensor y = context.arena().tensor({layout.rows(), width});
  for (Index s = 0; s < layout.count(); ++s) {
    move_rows(x.rows.value.data + source(s), y.row(layout.begin(s)), layout.length(s), width,
              Store::kOverwrite);
  }
  return context.tape().record(
      "last_rows", y, {x.rows}, [=, rows = x.rows](Tape& tape, const Tensor& dy) {
        float* dx = tape.slot(rows).adding(rows.value.count());
        for (Index s = 0; s < layout.count(); ++s) {
          move_rows(dy.row(layout.begin(s)), dx + source(s), layout.length(s), width, Store::kAdd);
        }
      });
}

// y = [a b].   da, db = the columns of dy
Var beside(Context& context, const Var& left, const Var& right) {
  expect_matrix("beside", "left", left);
  expect_shape("beside", "right", right, {left.rows(), right.columns()});
  const Index a = left.columns(), b = right.columns();
  const Tensor y = context.arena().tensor({left.rows(), a + b});
  for (Index row = 0; row < left.rows(); ++row) {
    move_rows(left.value.row(row), y.row(row), 1, a, Store::kOverwrite);
    move_rows(right.value.row(row), y.row(row) + a, 1, b, Store::kOverwrite);
  }
  return context.tape().record("beside", y, {left, right}, [=](Tape& tape, const Tensor& dy) {
    const Slot da = tape.slot(left);
    const Slot db = tape.slot(right);
    for (Index row = 0; row < left.rows(); ++row) {
      if (da) move_rows(dy.row(row), da.data + row * a, 1, a, da.store);
      if (db) move_rows(dy.row(row) + a, db.data + row * b, 1, b, db.store);
    }
  });
}

}  // namespace heed::grad
