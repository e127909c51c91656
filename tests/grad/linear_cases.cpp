#include "heed/grad/linear.h"
#include "tests/grad/cases.h"
#include "tests/reference/activation.h"
#include "tests/reference/rotation.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

using kernel::Activation;
using reference::Dual;

constexpr std::pair<Activation, const char*> kActivations[] = {
    {Activation::kNone, "none"}, {Activation::kRelu, "relu"}, {Activation::kGelu, "gelu"},
    {Activation::kSilu, "silu"}, {Activation::kTanh, "tanh"}, {Activation::kSigmoid, "sigmoid"}};

OperationCase linear_case(Index rows, Index in, Index out, Activation kind, const std::string& name,
                          bool bias, float dropout) {
  std::vector<Shape> inputs = {{rows, in}, {out, in}};
  if (bias) inputs.push_back({out});
  // Two sequences, so that dropout has to know where the second begins.
  const std::vector<Index> lengths = {rows / 2, rows - rows / 2};
  const auto factors = dropout_factors(first_dropout(dropout), lengths, out);
  return operation_case(
      "linear", name, inputs,
      [=](Context& context, std::span<const Var> x) {
        return grad::linear(context, x[0], x[1], bias ? x[2] : Var{},
                            {kind, context.dropout(dropout, layout_of(context, lengths))});
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        auto y = reference::linear(as_matrix(x, 0, rows, in), as_matrix(x, 1, out, in),
                                   bias ? x[2] : std::vector<T>{});
        for (std::size_t i = 0; i < y.values.size(); ++i) {
          y.values[i] = reference::activate(kind, y.values[i]);
          if (dropout > 0.0f) y.values[i] *= T(factors[i]);
        }
        return y.values;
      },
      4.0);
}

// Heads of queries and keys turn, the columns of values do not.
OperationCase turned_case(const std::string& name, const std::vector<Index>& lengths,
                          const std::vector<Index>& positions, Index in, Index heads, Index depth) {
  const Index rows = total(lengths), out = 3 * heads * depth;
  return operation_case(
      "linear", name, {{rows, in}, {out, in}, {out}},
      [=](Context& context, std::span<const Var> x) {
        grad::LinearEnd end;
        end.rotation = grad::Rotation(context, layout_of(context, lengths),
                                      layout_of(context, positions), {2 * heads, depth});
        return grad::linear(context, x[0], x[1], x[2], end);
      },
      [=](const auto& x) {
        const auto y = reference::linear(as_matrix(x, 0, rows, in), as_matrix(x, 1, out, in), x[2]);
        return reference::turned(y, {lengths, positions, 2 * heads * depth, depth}).values;
      });
}

}  // namespace

std::vector<OperationCase> linear_cases() {
  std::vector<OperationCase> rows;
  for (const auto& [kind, name] : kActivations) {
    rows.push_back(linear_case(5, 7, 19, kind, std::string(name), true, 0.0f));
    rows.push_back(linear_case(4, 3, 37, kind, std::string(name) + "_dropout", true, 0.4f));
    rows.push_back(operation_case(
        "activation", name, {{3, 11}},
        [=](Context& context, std::span<const Var> x) {
          return grad::activation(context, x[0], kind);
        },
        [=](const auto& x) {
          auto y = x[0];
          for (auto& value : y) value = reference::activate(kind, value);
          return y;
        },
        4.0));
  }
  rows.push_back(linear_case(1, 1, 1, Activation::kNone, "one", true, 0.0f));
  rows.push_back(linear_case(6, 16, 16, Activation::kRelu, "no_bias", false, 0.0f));
  rows.push_back(linear_case(0, 4, 3, Activation::kGelu, "no_rows", true, 0.0f));
  // Rows a multiple of 4 KiB apart take another way through the product of the weight's gradient.
  rows.push_back(linear_case(64, 1, 1024, Activation::kNone, "colliding_rows", false, 0.0f));

  rows.push_back(turned_case("rotary", {3, 0, 4}, {3, 0, 4}, 5, 2, 6));
  rows.push_back(turned_case("rotary_rows_at_the_end", {2, 1}, {9, 30}, 7, 1, 34));
  rows.push_back(turned_case("rotary_no_rows", {0}, {0}, 3, 1, 2));

  rows.push_back(operation_case(
      "product", "odd", {{5, 3}, {3, 7}},
      [](Context& context, std::span<const Var> x) { return grad::product(context, x[0], x[1]); },
      [](const auto& x) {
        return reference::product(as_matrix(x, 0, 5, 3), as_matrix(x, 1, 3, 7)).values;
      }));
  rows.push_back(operation_case(
      "multiply", "odd", {{3, 5}, {3, 5}},
      [](Context& context, std::span<const Var> x) { return grad::multiply(context, x[0], x[1]); },
      [](const auto& x) {
        auto y = x[0];
        for (std::size_t i = 0; i < y.size(); ++i) y[i] *= x[1][i];
        return y;
      }));
  rows.push_back(operation_case(
      "add", "scaled", {{3, 5}, {3, 5}},
      [](Context& context, std::span<const Var> x) {
        return grad::add(context, x[0], x[1], 0.5f, -2.0f);
      },
      [](const auto& x) {
        using T = Number<decltype(x)>;
        auto y = x[0];
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = T(0.5) * y[i] - T(2.0) * x[1][i];
        return y;
      }));
  const std::vector<float> weights = {0.5f, -2.0f, 0.0f};
  rows.push_back(operation_case(
      "scale_rows", "odd", {{3, 5}},
      [=](Context& context, std::span<const Var> x) {
        return grad::scale_rows(context, x[0], weights);
      },
      [=](const auto& x) {
        auto y = x[0];
        for (std::size_t i = 0; i < y.size(); ++i) y[i] *= Number<decltype(x)>(weights[i / 5]);
        return y;
      }));
  const std::vector<Index> lengths = {1, 0, 4};
  const auto factors = dropout_factors(first_dropout(0.3f), lengths, 45);
  rows.push_back(operation_case(
      "dropout", "ragged", {{5, 45}},
      [=](Context& context, std::span<const Var> x) {
        return grad::dropout(context, x[0], context.dropout(0.3f, layout_of(context, lengths)));
      },
      [=](const auto& x) {
        auto y = x[0];
        for (std::size_t i = 0; i < y.size(); ++i) y[i] *= Number<decltype(x)>(factors[i]);
        return y;
      }));
  return rows;
}

}  // namespace heed::test
