#include "heed/grad/gate.h"
#include "tests/grad/cases.h"

namespace heed::test {
namespace {

OperationCase glu_case(const std::string& name, Index rows, Index columns) {
  return operation_case(
      "glu", name, {{rows, 2 * columns}},
      [](Context& context, std::span<const Var> x) { return grad::glu(context, x[0]); },
      [=](const auto& x) {
        const auto both = as_matrix(x, 0, rows, 2 * columns);
        const auto n = static_cast<int>(columns);
        reference::Matrix<Number<decltype(x)>> y(both.rows, n);
        for (int i = 0; i < y.rows; ++i) {
          for (int j = 0; j < n; ++j) y(i, j) = both(i, j) * reference::sigmoid(both(i, n + j));
        }
        return y.values;
      });
}

}  // namespace

std::vector<OperationCase> gate_cases() {
  return {glu_case("odd", 3, 5), glu_case("wider_than_a_vector", 2, 19), glu_case("one", 1, 1),
          glu_case("no_rows", 0, 4)};
}

}  // namespace heed::test
