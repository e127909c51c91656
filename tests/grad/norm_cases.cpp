#include "heed/grad/norm.h"
#include "tests/grad/cases.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

using kernel::Norm;

constexpr std::pair<Norm, const char*> kNorms[] = {{Norm::kLayer, "layer"}, {Norm::kRms, "rms"}};

// Row by row, from the definition. `bias` is empty for RMS norm.
template <typename T>
std::vector<T> normalised(Norm kind, const std::vector<T>& x, Index columns,
                          const std::vector<T>& gain, const std::vector<T>& bias, double epsilon) {
  using std::sqrt;
  std::vector<T> y = x;
  const auto width = static_cast<std::size_t>(columns);
  for (std::size_t begin = 0; begin < x.size(); begin += width) {
    T mean = 0.0, square = 0.0;
    for (std::size_t c = 0; c < width && kind == Norm::kLayer; ++c) {
      mean += x[begin + c] / T(static_cast<double>(columns));
    }
    for (std::size_t c = 0; c < width; ++c) {
      const T centred = x[begin + c] - mean;
      square += centred * centred / T(static_cast<double>(columns));
    }
    for (std::size_t c = 0; c < width; ++c) {
      y[begin + c] = gain[c] * (x[begin + c] - mean) / sqrt(square + T(epsilon));
      if (!bias.empty()) y[begin + c] += bias[c];
    }
  }
  return y;
}

OperationCase norm_case(Norm kind, const std::string& name, Index rows, Index columns,
                        float epsilon) {
  std::vector<Shape> inputs = {{rows, columns}, {columns}};
  const bool bias = kind == Norm::kLayer;
  if (bias) inputs.push_back({columns});
  return operation_case(
      "norm", name, inputs,
      [=](Context& context, std::span<const Var> x) {
        return grad::norm(context, x[0], {kind, x[1], bias ? x[2] : Var{}, epsilon});
      },
      [=](const auto& x) {
        return normalised(kind, x[0], columns, x[1],
                          bias ? x[2] : std::vector<Number<decltype(x)>>{}, epsilon);
      },
      4.0);
}

OperationCase residual_norm_case(Norm kind, const std::string& name,
                                 const std::vector<Index>& lengths, Index columns, float dropout) {
  const Index rows = total(lengths);
  std::vector<Shape> inputs = {{rows, columns}, {rows, columns}, {columns}};
  const bool bias = kind == Norm::kLayer;
  if (bias) inputs.push_back({columns});
  const auto factors = dropout_factors(first_dropout(dropout), lengths, columns);
  return operation_case(
      "residual_norm", name, inputs,
      [=](Context& context, std::span<const Var> x) {
        return grad::residual_norm(context, x[0], x[1], {kind, x[2], bias ? x[3] : Var{}, 1e-3f},
                                   context.dropout(dropout, layout_of(context, lengths)));
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        std::vector<T> z = x[0];
        for (std::size_t i = 0; i < z.size(); ++i) {
          z[i] += x[1][i] * T(dropout > 0.0f ? factors[i] : 1.0);
        }
        return normalised(kind, z, columns, x[2], bias ? x[3] : std::vector<T>{}, 1e-3f);
      },
      4.0);
}

OperationCase residual_case(const std::string& name, const std::vector<Index>& lengths,
                            Index columns, float scale, float dropout) {
  const Index rows = total(lengths);
  const auto factors = dropout_factors(first_dropout(dropout), lengths, columns);
  return operation_case(
      "residual", name, {{rows, columns}, {rows, columns}},
      [=](Context& context, std::span<const Var> x) {
        return grad::residual(context, x[0], x[1],
                              context.dropout(dropout, layout_of(context, lengths)), scale);
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        std::vector<T> y = x[0];
        for (std::size_t i = 0; i < y.size(); ++i) {
          y[i] += T(scale) * x[1][i] * T(dropout > 0.0f ? factors[i] : 1.0);
        }
        return y;
      });
}

OperationCase unit_length_case(const std::string& name, Index rows, Index columns, Index width) {
  return operation_case(
      "unit_length", name, {{rows, columns}},
      [=](Context& context, std::span<const Var> x) {
        return grad::unit_length(context, x[0], width);
      },
      [=](const auto& x) {
        using std::sqrt;
        using T = Number<decltype(x)>;
        std::vector<T> y = x[0];
        const auto group = static_cast<std::size_t>(width);
        for (std::size_t begin = 0; begin < y.size(); begin += group) {
          T square = 1e-12;
          for (std::size_t c = 0; c < group; ++c) square += x[0][begin + c] * x[0][begin + c];
          for (std::size_t c = 0; c < group; ++c) y[begin + c] /= sqrt(square);
        }
        return y;
      },
      4.0);
}

}  // namespace

std::vector<OperationCase> norm_cases() {
  std::vector<OperationCase> rows;
  for (const auto& [kind, kind_name] : kNorms) {
    const std::string name = kind_name;
    rows.push_back(norm_case(kind, name, 5, 19, 1e-5f));
    rows.push_back(norm_case(kind, name + "_large_epsilon", 3, 16, 0.5f));
    rows.push_back(norm_case(kind, name + "_two_columns", 4, 2, 1e-2f));
    rows.push_back(norm_case(kind, name + "_one_column", 3, 1, 1e-2f));
    rows.push_back(norm_case(kind, name + "_wide", 2, 67, 1e-5f));
    rows.push_back(norm_case(kind, name + "_no_rows", 0, 8, 1e-5f));
    rows.push_back(residual_norm_case(kind, name, {3, 0, 2}, 13, 0.0f));
    rows.push_back(residual_norm_case(kind, name + "_dropout", {3, 0, 2}, 37, 0.3f));
    rows.push_back(residual_norm_case(kind, name + "_no_rows", {0}, 5, 0.3f));
  }
  rows.push_back(residual_case("plain", {2, 3}, 7, 1.0f, 0.0f));
  rows.push_back(residual_case("half", {2, 3}, 7, 0.5f, 0.0f));
  rows.push_back(residual_case("half_dropout", {2, 0, 3}, 37, 0.5f, 0.4f));
  rows.push_back(residual_case("no_rows", {}, 7, 1.0f, 0.0f));
  rows.push_back(unit_length_case("heads", 3, 15, 5));
  rows.push_back(unit_length_case("one_group", 2, 33, 33));
  rows.push_back(unit_length_case("no_rows", 0, 4, 2));
  return rows;
}

}  // namespace heed::test
