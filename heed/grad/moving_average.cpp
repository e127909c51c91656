#include "heed/grad/moving_average.h"

#include <algorithm>

#include "heed/grad/check.h"
#include "heed/kernel/gate.h"

namespace heed::grad {
namespace {

// The columns that are read in one direction.
struct Half {
  bool forwards;
  Index first, columns;
};

// The rows of a batch in the order of reading, and the columns of each half.
struct Order {
  Layout layout;
  std::span<const std::uint8_t> hidden;
  Index width;

  Half half(bool forwards) const {
    const Index columns = width - width / 2;
    return forwards ? Half{true, 0, columns} : Half{false, columns, width - columns};
  }
  bool is_hidden(Index row) const {
    return !hidden.empty() && hidden[static_cast<std::size_t>(row)];
  }

  // The next row of a sequence from `row` on, itself included, that is not hidden; −1 at its end.
  Index seen(Index sequence, Index row, bool forwards) const {
    while (row >= layout.begin(sequence) && row < layout.end(sequence)) {
      if (!is_hidden(row)) return row;
      row += forwards ? 1 : -1;
    }
    return -1;
  }
  Index first(Index sequence, bool forwards) const {
    return seen(sequence, forwards ? layout.begin(sequence) : layout.end(sequence) - 1, forwards);
  }
  Index next(Index sequence, Index row, bool forwards) const {
    return seen(sequence, forwards ? row + 1 : row - 1, forwards);
  }
};

kernel::AverageRow row_of(const Order& order, const Half& half, const Tensor& h, Index before) {
  return {half.columns, order.width, before < 0 ? nullptr : h.row(before) + half.first};
}

void forward(const Order& order, const Half& half, const Var& x, const Tensor& values,
             const Tensor& h) {
  for (Index s = 0; s < order.layout.count(); ++s) {
    Index before = -1;
    for (Index row = order.first(s, half.forwards); row >= 0;
         row = order.next(s, row, half.forwards)) {
      kernel::average_forward(row_of(order, half, h, before), x.value.row(row) + half.first,
                              values.row(row) + half.first, h.row(row) + half.first);
      before = row;
    }
  }
}

// `dlater` has room for the columns of the half.
void backward(const Order& order, const Half& half, const Tensor& values, const Tensor& h,
              const Tensor& dh, std::span<float> dlater, const Slot& dx) {
  for (Index s = 0; s < order.layout.count(); ++s) {
    std::fill(dlater.begin(), dlater.end(), 0.0f);
    Index row = order.first(s, !half.forwards);
    while (row >= 0) {
      const Index before = order.next(s, row, !half.forwards);
      kernel::average_backward(row_of(order, half, h, before), values.row(row) + half.first,
                               dh.row(row) + half.first, dlater.data(),
                               dx.data + row * 2 * order.width + half.first, dx.store);
      row = before;
    }
  }
}

void clear_hidden(const Order& order, Index columns, float* rows) {
  for (Index row = 0; row < order.layout.rows(); ++row) {
    if (order.is_hidden(row)) std::fill_n(rows + row * columns, columns, 0.0f);
  }
}

}  // namespace

// Saves z, f and h.  From the last row that is read to the first:
//   d_t = dh_t + d_t+1 ⊙ f_t+1
//   da = d ⊙ (1 − f) ⊙ (1 − z²)
//   db = d ⊙ (h_t−1 − z) ⊙ f ⊙ (1 − f)
Var moving_average(Context& context, const Sequences& x, std::span<const std::uint8_t> hidden) {
  expect_rows("moving_average", x);
  const Index rows = x.layout.rows();
  if (x.width() % 2 != 0) {
    fail<ShapeError>("moving_average", "expected an even number of columns, got {}",
                     x.rows.shape().text());
  }
  if (!hidden.empty() && std::ssize(hidden) != rows) {
    fail<ShapeError>("moving_average", "expected a mark for each of {} rows, got {}", rows,
                     hidden.size());
  }
  const Order order{x.layout, context.arena().copy(hidden), x.width() / 2};
  const Tensor values = context.arena().tensor({rows, x.width()});
  const Tensor h = context.arena().tensor({rows, order.width});
  clear_hidden(order, order.width, h.data);
  forward(order, order.half(true), x.rows, values, h);
  forward(order, order.half(false), x.rows, values, h);
  const Var in = x.rows;
  return context.tape().record("moving_average", h, {in}, [=](Tape& tape, const Tensor& dh) {
    const Slot dx = tape.slot(in);
    const Arena::Scope scope(tape.scratch());
    const std::span<float> dlater = tape.scratch().array<float>(order.half(true).columns);
    if (dx.store == kernel::Store::kOverwrite) clear_hidden(order, 2 * order.width, dx.data);
    backward(order, order.half(true), values, h, dh, dlater, dx);
    backward(order, order.half(false), values, h, dh, dlater, dx);
  });
}

}  // namespace heed::grad
