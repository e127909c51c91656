#include "tests/support/operation_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/base/random.h"

namespace heed::test {
namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();

// A float result carries rounding errors in proportion to the numbers that were summed: 64 ε of the
// largest magnitude around, √n of the length of sums included.
double tolerance(const OperationCase& row, const std::vector<double>& expected, std::size_t work) {
  double largest = 1.0;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  return 64.0 * kEpsilon * largest * std::sqrt(static_cast<double>(work) + 1.0) * row.tolerance;
}

void expect_near_all(const std::string& what, std::span<const float> got,
                     const std::vector<double>& expected, double bound) {
  ASSERT_EQ(got.size(), expected.size()) << what;
  std::size_t worst = 0;
  double distance = -1.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - expected[i]);
    if (!(error <= distance)) {
      distance = error;
      worst = i;
    }
  }
  if (got.empty()) return;
  EXPECT_LE(distance, bound) << what << ", worst at " << worst << ": got " << got[worst]
                             << ", expected " << expected[worst];
}

}  // namespace

void check_operation(const OperationCase& row, std::uint64_t seed) {
  SCOPED_TRACE(row.operation + "/" + row.name + ", seed " + std::to_string(seed));
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients, {seed, 3});

  std::vector<Var> inputs;
  std::vector<std::vector<double>> numbers;
  std::size_t work = 0;
  for (std::size_t i = 0; i < row.inputs.size(); ++i) {
    Random random(mix(seed, i));
    const Tensor tensor = context.arena().tensor(row.inputs[i]);
    numbers.emplace_back();
    for (float& value : tensor.span()) {
      value = random.normal();
      numbers.back().push_back(value);
    }
    work = std::max(work, numbers.back().size());
    inputs.push_back(context.tape().variable(tensor));
  }

  const Var y = row.run(context, inputs);
  const std::vector<double> expected = row.value(numbers);
  expect_near_all("value", y.value.span(), expected, tolerance(row, expected, work));

  // Σ w y for random w, so that no symmetry hides a mistake. What stands in the gradients of the
  // inputs before must be added to, not lost.
  const Tensor weights = context.arena().tensor(y.shape());
  Random random(mix(seed, 1000));
  for (float& weight : weights.span()) weight = random.normal();
  for (std::size_t i = 0; i < inputs.size(); i += 2) {
    const Slot slot = context.tape().slot(inputs[i]);
    std::fill_n(slot.data, inputs[i].value.count(), 0.25f);
  }
  context.tape().backward(y, weights);

  std::vector<std::vector<reference::Dual>> duals;
  for (const auto& values : numbers) duals.emplace_back(values.begin(), values.end());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<double> slopes;
    for (std::size_t j = 0; j < numbers[i].size(); ++j) {
      duals[i][j].slope = 1.0;
      const std::vector<reference::Dual> outcome = row.derivative(duals);
      double sum = i % 2 == 0 ? 0.25 : 0.0;
      for (std::size_t k = 0; k < outcome.size(); ++k) {
        sum += static_cast<double>(weights[static_cast<Index>(k)]) * outcome[k].slope;
      }
      slopes.push_back(sum);
      duals[i][j].slope = 0.0;
    }
    const Tensor gradient = context.tape().gradient(inputs[i]);
    expect_near_all("gradient of input " + std::to_string(i), gradient.span(), slopes,
                    tolerance(row, slopes, std::max(work, expected.size())));
  }
}

}  // namespace heed::test
