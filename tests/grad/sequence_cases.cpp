#include "heed/grad/sequence.h"
#include "tests/grad/cases.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

// Appends rows begin … begin + count − 1 of `from` to `to`.
template <typename T>
void append_rows(std::vector<T>& to, const std::vector<T>& from, Index begin, Index count,
                 Index width) {
  to.insert(to.end(), from.begin() + begin * width, from.begin() + (begin + count) * width);
}

OperationCase concatenate_case(const std::string& name, const std::vector<Index>& first,
                               const std::vector<Index>& second, Index width) {
  return operation_case(
      "concatenate", name, {{total(first), width}, {total(second), width}},
      [=](Context& context, std::span<const Var> x) {
        return grad::concatenate(context, {x[0], layout_of(context, first)},
                                 {x[1], layout_of(context, second)})
            .rows;
      },
      [=](const auto& x) {
        std::vector<Number<decltype(x)>> y;
        Index a = 0, b = 0;
        for (std::size_t s = 0; s < first.size(); a += first[s], b += second[s], ++s) {
          append_rows(y, x[0], a, first[s], width);
          append_rows(y, x[1], b, second[s], width);
        }
        return y;
      });
}

OperationCase concatenate_three_case(const std::string& name, const std::vector<Index>& lengths,
                                     Index width) {
  return operation_case(
      "concatenate", name, {{total(lengths), width}, {total(lengths), width}, {0, width}},
      [=](Context& context, std::span<const Var> x) {
        const Layout layout = layout_of(context, lengths);
        const Layout empty = Layout::uniform(context.arena(), layout.count(), 0);
        // The first one twice: its gradient has two parts.
        const Sequences parts[] = {{x[0], layout}, {x[2], empty}, {x[1], layout}, {x[0], layout}};
        return grad::concatenate(context, parts).rows;
      },
      [=](const auto& x) {
        std::vector<Number<decltype(x)>> y;
        Index begin = 0;
        for (const Index length : lengths) {
          for (const std::size_t part : {0, 1, 0}) append_rows(y, x[part], begin, length, width);
          begin += length;
        }
        return y;
      });
}

OperationCase slice_case(const std::string& name, const std::vector<Index>& lengths, Index begin,
                         Index count, Index width) {
  return operation_case(
      "slice", name, {{total(lengths), width}},
      [=](Context& context, std::span<const Var> x) {
        return grad::slice(context, {x[0], layout_of(context, lengths)}, begin, count).rows;
      },
      [=](const auto& x) {
        std::vector<Number<decltype(x)>> y;
        Index row = 0;
        for (const Index length : lengths) {
          for (Index i = 0; i < length; ++i, ++row) {
            if (i >= begin && i < begin + count) append_rows(y, x[0], row, 1, width);
          }
        }
        return y;
      });
}

OperationCase prepend_case(const std::string& name, Index count, const std::vector<Index>& lengths,
                           Index width) {
  return operation_case(
      "prepend", name, {{count, width}, {total(lengths), width}},
      [=](Context& context, std::span<const Var> x) {
        return grad::prepend(context, x[0], {x[1], layout_of(context, lengths)}).rows;
      },
      [=](const auto& x) {
        std::vector<Number<decltype(x)>> y;
        Index begin = 0;
        for (const Index length : lengths) {
          append_rows(y, x[0], 0, count, width);
          append_rows(y, x[1], begin, length, width);
          begin += length;
        }
        return y;
      });
}

OperationCase last_rows_case(const std::string& name, const std::vector<Index>& lengths,
                             const std::vector<Index>& wanted, Index width) {
  return operation_case(
      "last_rows", name, {{total(lengths), width}},
      [=](Context& context, std::span<const Var> x) {
        return grad::last_rows(context, {x[0], layout_of(context, lengths)},
                               layout_of(context, wanted));
      },
      [=](const auto& x) {
        std::vector<Number<decltype(x)>> y;
        Index end = 0;
        for (std::size_t s = 0; s < lengths.size(); ++s) {
          end += lengths[s];
          append_rows(y, x[0], end - wanted[s], wanted[s], width);
        }
        return y;
      });
}

OperationCase select_rows_case(const std::string& name, Index rows,
                               const std::vector<std::int32_t>& numbers, Index width) {
  return operation_case(
      "select_rows", name, {{rows, width}},
      [=](Context& context, std::span<const Var> x) {
        return grad::select_rows(context, x[0], numbers);
      },
      [=](const auto& x) {
        std::vector<Number<decltype(x)>> y;
        for (const std::int32_t number : numbers) append_rows(y, x[0], number, 1, width);
        return y;
      });
}

OperationCase beside_case(const std::string& name, Index rows, Index left, Index right) {
  return operation_case(
      "beside", name, {{rows, left}, {rows, right}},
      [](Context& context, std::span<const Var> x) { return grad::beside(context, x[0], x[1]); },
      [=](const auto& x) {
        std::vector<Number<decltype(x)>> y;
        for (Index row = 0; row < rows; ++row) {
          append_rows(y, x[0], row, 1, left);
          append_rows(y, x[1], row, 1, right);
        }
        return y;
      });
}

}  // namespace

std::vector<OperationCase> sequence_cases() {
  return {
      concatenate_case("ragged", {1, 0, 3, 0}, {2, 4, 0, 0}, 5),
      concatenate_case("no_sequences", {}, {}, 3),
      concatenate_three_case("several", {2, 0, 3}, 5),
      slice_case("ragged", {3, 5, 0, 2, 9}, 2, 3, 7),
      slice_case("one_row", {4, 1}, 3, 1, 1),
      slice_case("nothing", {2, 1}, 5, 3, 3),
      slice_case("all_of_them", {2, 1}, 0, 2, 3),
      slice_case("no_sequences", {}, 1, 2, 3),
      prepend_case("ragged", 3, {2, 0, 5}, 7),
      prepend_case("one_row", 1, {4}, 1),
      prepend_case("nothing", 0, {2, 1}, 3),
      last_rows_case("ragged", {3, 5, 0, 2}, {1, 5, 0, 0}, 7),
      last_rows_case("all_of_them", {3, 5}, {3, 5}, 2),
      select_rows_case("repeated", 5, {3, 0, 3, 4, 3}, 7),
      select_rows_case("nothing", 4, {}, 3),
      beside_case("odd", 5, 3, 7),
      beside_case("no_columns", 4, 2, 0),
      beside_case("no_rows", 0, 2, 3),
  };
}

}  // namespace heed::test
