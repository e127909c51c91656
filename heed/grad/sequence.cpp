#include "heed/grad/sequence.h"

#include <algorithm>
#include <array>

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

// y = [a; b; …] for each sequence.   da, db, … = the parts of dy
Sequences concatenate(Context& context, std::span<const Sequences> parts) {
  if (parts.empty()) fail<ShapeError>("concatenate", "expected at least one part, got none");
  const Index count = parts[0].layout.count(), width = parts[0].width();
  const auto kept = context.arena().array<Sequences>(static_cast<Index>(parts.size()));
  std::copy(parts.begin(), parts.end(), kept.begin());
  Var wanted = kept[0].rows;
  for (const Sequences& part : kept) {
    expect_rows("concatenate", part);
    if (part.layout.count() != count || part.width() != width) {
      fail<ShapeError>("concatenate", "expected {} sequences of width {}, got {} of width {}",
                       count, width, part.layout.count(), part.width());
    }
    if (part.rows.differentiable()) wanted = part.rows;
  }
  const Layout layout = joined(context, kept[0].layout, [&](Index s) {
    Index rows = 0;
    for (const Sequences& part : kept.subspan(1)) rows += part.layout.length(s);
    return rows;
  });
  const Tensor y = context.arena().tensor({layout.rows(), width});
  for (Index s = 0; s < count; ++s) {
    float* to = y.row(layout.begin(s));
    for (const Sequences& part : kept) {
      const Index rows = part.layout.length(s);
      move_rows(part.rows.value.row(part.layout.begin(s)), to, rows, width, Store::kOverwrite);
      to += rows * width;
    }
  }
  const Var rows =
      context.tape().record("concatenate", y, {wanted}, [=](Tape& tape, const Tensor& dy) {
        const Arena::Scope scope(tape.scratch());
        const auto from = tape.scratch().array<const float*>(count);
        for (Index s = 0; s < count; ++s)
          from[static_cast<std::size_t>(s)] = dy.row(layout.begin(s));
        for (const Sequences& part : kept) {
          const Slot d = tape.slot(part.rows);
          for (Index s = 0; s < count; ++s) {
            const Index length = part.layout.length(s);
            const float*& place = from[static_cast<std::size_t>(s)];
            if (d) {
              move_rows(place, d.data + part.layout.begin(s) * width, length, width, d.store);
            }
            place += length * width;
          }
        }
      });
  return {rows, layout};
}

Sequences concatenate(Context& context, const Sequences& first, const Sequences& second) {
  return concatenate(context, std::array{first, second});
}

// y = some rows of x.   dx = dy there, 0 elsewhere
Sequences slice(Context& context, const Sequences& x, Index begin, Index count) {
  expect_rows("slice", x);
  if (begin < 0 || count < 0) {
    fail<ShapeError>("slice", "expected rows from 0 and at least 0 of them, got {} from {}", count,
                     begin);
  }
  const Layout from = x.layout;
  const Layout layout = joined(context, from, [&](Index s) {
    const Index length = from.length(s);
    return std::clamp<Index>(length - begin, 0, count) - length;
  });
  if (layout == from) return x;
  const Index width = x.width();
  const Tensor y = context.arena().tensor({layout.rows(), width});
  for (Index s = 0; s < layout.count(); ++s) {
    if (layout.length(s) == 0) continue;
    move_rows(x.rows.value.row(from.begin(s) + begin), y.row(layout.begin(s)), layout.length(s),
              width, Store::kOverwrite);
  }
  const Var rows =
      context.tape().record("slice", y, {x.rows}, [=, rows = x.rows](Tape& tape, const Tensor& dy) {
        float* dx = tape.slot(rows).adding(rows.value.count());
        for (Index s = 0; s < layout.count(); ++s) {
          if (layout.length(s) == 0) continue;
          move_rows(dy.row(layout.begin(s)), dx + (from.begin(s) + begin) * width, layout.length(s),
                    width, Store::kAdd);
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

// y_i = x[numbers_i].   dx[numbers_i] += dy_i
Var select_rows(Context& context, const Var& x, std::span<const std::int32_t> numbers) {
  expect_matrix("select_rows", "x", x);
  expect_ids("select_rows", numbers, x.rows());
  const Index width = x.columns(), count = std::ssize(numbers);
  const std::span<const std::int32_t> kept = context.arena().copy(numbers);
  const Tensor y = context.arena().tensor({count, width});
  for (Index i = 0; i < count; ++i) {
    move_rows(x.value.row(kept[static_cast<std::size_t>(i)]), y.row(i), 1, width,
              Store::kOverwrite);
  }
  return context.tape().record("select_rows", y, {x}, [=](Tape& tape, const Tensor& dy) {
    float* dx = tape.slot(x).adding(x.value.count());
    for (Index i = 0; i < count; ++i) {
      move_rows(dy.row(i), dx + kept[static_cast<std::size_t>(i)] * width, 1, width, Store::kAdd);
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
