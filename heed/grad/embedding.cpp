#include "heed/grad/embedding.h"

#include <algorithm>
#include <numeric>

#include "heed/grad/check.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Store;

void expect_positions(const char* operation, const Layout& layout, const Var& table) {
  for (Index s = 0; s < layout.count(); ++s) {
    if (layout.length(s) > table.rows()) {
      fail<ShapeError>(operation,
                       "expected sequences of at most {} rows (the positions there are), sequence "
                       "{} has {}",
                       table.rows(), layout.first() + s, layout.length(s));
    }
  }
}

Var table_source(Context& context, const Parameter& table) {
  if (table.rule.frozen) return {};
  return table.rule.sparse ? context.tape().sparse(table) : context.parameter(table);
}

// Where the gradient of each row of a table is added to.
class TableGradient {
 public:
  TableGradient(Tape& tape, const Var& source, const Parameter& table)
      : sparse_(table.rule.sparse ? &tape.sparse_rows(source) : nullptr),
        dense_(sparse_ == nullptr ? tape.slot(source).adding(source.value.count()) : nullptr),
        width_(table.value.columns()) {}

  float* row(std::int32_t id) const {
    return sparse_ != nullptr ? sparse_->at(id) : dense_ + id * width_;
  }

 private:
  SparseRows* sparse_;
  float* dense_;
  Index width_;
};

}  // namespace

// y_i = c · T[id_i].   dT[id] = c Σ_{i: id_i = id} dy_i
Var embedding(Context& context, std::span<const std::int32_t> ids, const Parameter& table,
              float scale) {
  const Index width = table.value.columns();
  const auto rows = static_cast<Index>(ids.size());
  expect_ids("embedding", ids, table.value.rows());
  const auto kept = context.arena().copy(ids);
  const Tensor y = context.arena().tensor({rows, width});
  for (Index row = 0; row < rows; ++row) {
    kernel::scale(width, scale, table.value.row(kept[static_cast<std::size_t>(row)]), y.row(row),
                  Store::kOverwrite);
  }
  const Var source = table_source(context, table);
  return context.tape().record(
      "embedding", y, {source}, [=, parameter = &table](Tape& back, const Tensor& dy) {
        const TableGradient to(back, source, *parameter);
        for (Index row = 0; row < rows; ++row) {
          kernel::scale(width, scale, dy.row(row), to.row(kept[static_cast<std::size_t>(row)]),
                        Store::kAdd);
        }
      });
}

// y_i = Σ_{j of i} T[id_j] / n_i.   dT[id] = Σ_{j: id_j = id} dy_i / n_i
Var embedding_mean(Context& context, std::span<const std::int32_t> ids,
                   std::span<const std::int32_t> counts, const Parameter& table) {
  const Index width = table.value.columns();
  const auto rows = static_cast<Index>(counts.size());
  expect_ids("embedding_mean", ids, table.value.rows());
  const auto kept = context.arena().copy(ids);
  const auto sizes = context.arena().copy(counts);
  for (const std::int32_t size : sizes) {
    if (size < 0) fail<ShapeError>("embedding_mean", "expected counts of 0 or more, got {}", size);
  }
  if (std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) != kept.size()) {
    fail<ShapeError>("embedding_mean", "expected as many ids as the counts of {} rows say, got {}",
                     rows, kept.size());
  }
  // Calls body(row, id, 1 / n) for each id.
  const auto for_each = [=](auto body) {
    std::size_t place = 0;
    for (Index row = 0; row < rows; ++row) {
      const std::int32_t count = sizes[static_cast<std::size_t>(row)];
      for (std::int32_t j = 0; j < count; ++j) {
        body(row, kept[place++], 1.0f / static_cast<float>(count));
      }
    }
  };
  const Tensor y = context.arena().tensor({rows, width});
  const std::int32_t* place = kept.data();
  for (Index row = 0; row < rows; ++row) {
    const Index count = sizes[static_cast<std::size_t>(row)];
    const float share = count == 0 ? 0.0f : 1.0f / static_cast<float>(count);
    kernel::sum_rows(width, table.value.data, {place, static_cast<std::size_t>(count)}, share,
                     y.row(row));
    place += count;
  }
  const Var source = table_source(context, table);
  return context.tape().record(
      "embedding_mean", y, {source}, [=, parameter = &table](Tape& back, const Tensor& dy) {
        const TableGradient to(back, source, *parameter);
        for_each([&](Index row, std::int32_t id, float share) {
          kernel::scale(width, share, dy.row(row), to.row(id), Store::kAdd);
        });
      });
}

// y = x + c · T[p].   dx = dy     dT[p] = c Σ dy at position p
Var add_positions(Context& context, const Sequences& x, const Layout& seen, const Var& table,
                  float scale) {
  expect_rows("add_positions", x);
  expect_shape("add_positions", "table", table, {table.rows(), x.width()});
  expect_last("add_positions", x.layout, seen);
  expect_positions("add_positions", seen, table);
  const Layout layout = x.layout;
  const Index width = x.width();
  const Tensor y = context.arena().copy(x.rows.value);
  // Where the rows of a sequence begin in the table.
  const auto first = [=](Index s) { return (seen.length(s) - layout.length(s)) * width; };
  for (Index s = 0; s < layout.count(); ++s) {
    kernel::scale(layout.length(s) * width, scale, table.value.data + first(s),
                  y.row(layout.begin(s)), Store::kAdd);
  }
  return context.tape().record(
      "add_positions", y, {x.rows, table}, [=, rows = x.rows](Tape& tape, const Tensor& dy) {
        if (float* to = tape.slot(table).adding(table.value.count())) {
          for (Index s = 0; s < layout.count(); ++s) {
            kernel::scale(layout.length(s) * width, scale, dy.row(layout.begin(s)), to + first(s),
                          Store::kAdd);
          }
        }
        if (const Slot dx = tape.slot(rows)) {
          kernel::scale(dy.count(), 1.0f, dy.data, dx.data, dx.store);
        }
      });
}

// y = T[p].   dT[p] = Σ dy at position p
Var positions(Context& context, const Layout& layout, const Var& table) {
  expect_matrix("positions", "table", table);
  expect_positions("positions", layout, table);
  const Index width = table.columns();
  const Tensor y = context.arena().tensor({layout.rows(), width});
  for (Index s = 0; s < layout.count(); ++s) {
    std::copy_n(table.value.data, layout.length(s) * width, y.row(layout.begin(s)));
  }
  return context.tape().record("positions", y, {table}, [=](Tape& tape, const Tensor& dy) {
    float* to = tape.slot(table).adding(table.value.count());
    for (Index s = 0; s < layout.count(); ++s) {
      kernel::scale(layout.length(s) * width, 1.0f, dy.row(layout.begin(s)), to, Store::kAdd);
    }
  });
}

}  // namespace heed::grad
