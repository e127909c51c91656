#include <optional>

#include "heed/grad/heads.h"
#include "tests/grad/cases.h"
#include "tests/reference/rotation.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

OperationCase rotary_case(const std::string& name, const std::vector<Index>& lengths,
                          const std::vector<Index>& positions, Index heads, Index depth, float base,
                          std::optional<Extent> grid = {}) {
  const Index rows = total(lengths), width = heads * depth;
  return operation_case(
      "rotary", name, {{rows, width}},
      [=](Context& context, std::span<const Var> x) {
        Layout places = layout_of(context, positions);
        if (grid) places = places.as_grid(*grid);
        return grad::rotary(context, {x[0], layout_of(context, lengths)}, places, depth, base);
      },
      [=](const auto& x) {
        const reference::Turns turns{lengths, positions, width, depth, base, grid};
        return reference::turned(as_matrix(x, 0, rows, width), turns).values;
      });
}

OperationCase cool_case(const std::string& name, Index rows, Index heads, Index depth) {
  return operation_case(
      "cool_heads", name, {{rows, heads * depth}, {heads}},
      [](Context& context, std::span<const Var> x) {
        return grad::cool_heads(context, x[0], x[1]);
      },
      [=](const auto& x) {
        using std::exp;
        auto y = x[0];
        for (std::size_t i = 0; i < y.size(); ++i) {
          const auto head = static_cast<Index>(i) / depth % heads;
          y[i] *= exp(-x[1][static_cast<std::size_t>(head)]);
        }
        return y;
      },
      4.0);
}

OperationCase product_case(const std::string& name, Index rows, Index heads, Index depth,
                           Index out) {
  return operation_case(
      "head_product", name, {{rows, heads * depth}, {heads, depth, out}},
      [](Context& context, std::span<const Var> x) {
        return grad::head_product(context, x[0], x[1]);
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        std::vector<T> y;
        for (Index row = 0; row < rows; ++row) {
          for (Index h = 0; h < heads; ++h) {
            for (Index o = 0; o < out; ++o) {
              T sum = 0.0;
              for (Index d = 0; d < depth; ++d) {
                sum += x[0][static_cast<std::size_t>((row * heads + h) * depth + d)] *
                       x[1][static_cast<std::size_t>((h * depth + d) * out + o)];
              }
              y.push_back(sum);
            }
          }
        }
        return y;
      });
}

OperationCase average_case(const std::string& name, Index rows, Index heads, Index depth) {
  return operation_case(
      "average_heads", name, {{rows, heads * depth}},
      [=](Context& context, std::span<const Var> x) {
        return grad::average_heads(context, x[0], heads);
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        std::vector<T> y(static_cast<std::size_t>(rows * depth));
        for (std::size_t i = 0; i < x[0].size(); ++i) {
          const auto at = static_cast<Index>(i);
          y[static_cast<std::size_t>(at / (heads * depth) * depth + at % depth)] +=
              x[0][i] / T(static_cast<double>(heads));
        }
        return y;
      });
}

}  // namespace

std::vector<OperationCase> head_cases() {
  return {
      rotary_case("self", {1, 0, 7}, {1, 0, 7}, 2, 6, 10000.0f),
      rotary_case("rows_at_the_end", {2, 1, 3}, {9, 1, 40}, 1, 2, 10000.0f),
      rotary_case("small_base", {5}, {5}, 3, 4, 10.0f),
      rotary_case("pictures", {12, 12}, {12, 12}, 2, 8, 10000.0f, Extent{3, 4}),
      rotary_case("pictures_odd_half", {6}, {6}, 1, 6, 100.0f, Extent{2, 3}),
      rotary_case("pictures_rows_at_the_end", {5}, {12}, 1, 8, 100.0f, Extent{3, 4}),
      rotary_case("far", {400}, {2000}, 1, 2, 10000.0f),
      rotary_case("no_sequences", {}, {}, 2, 4, 10000.0f),
      cool_case("odd", 5, 3, 7),
      cool_case("depth_1", 4, 2, 1),
      cool_case("no_rows", 0, 2, 3),
      product_case("odd", 5, 3, 2, 7),
      product_case("one", 1, 1, 1, 1),
      product_case("no_rows", 0, 2, 3, 4),
      average_case("odd", 5, 3, 7),
      average_case("one_head", 2, 1, 5),
      average_case("no_rows", 0, 2, 3),
  };
}

}  // namespace heed::test
