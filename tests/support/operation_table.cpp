#include "tests/support/operation_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "heed/base/random.h"

namespace heed::test {
namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
constexpr float kFilled = 0.25f;

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

// The inputs of a row, normally distributed, and their gradients.
class Inputs {
 public:
  Inputs(const OperationCase& row, std::uint64_t seed) : source_(row.source) {
    if (source_ != Source::kVariables) {
      for (std::size_t i = 0; i < row.inputs.size(); ++i) {
        parameters_.add(std::to_string(i), row.inputs[i], Init::normal(1.0f),
                        {.sparse = source_ == Source::kSparseParameters});
      }
    }
    gradients_.emplace(parameters_);
    dirty(context.arena());
    dirty(context.tape().scratch());
    context.begin(Mode::kTrain, &*gradients_, {seed, 3});
    for (std::size_t i = 0; i < row.inputs.size(); ++i) {
      if (source_ != Source::kVariables) {
        // A sparse one is not a value: the operation looks its rows up itself.
        const Parameter& parameter = parameters_[static_cast<Index>(i)];
        vars.push_back(parameter.rule.sparse ? Var{parameter.value, -1}
                                             : context.parameter(parameter));
      } else {
        Random random(mix(seed, i));
        const Tensor tensor = context.arena().tensor(row.inputs[i]);
        for (float& value : tensor.span()) value = random.normal();
        vars.push_back(context.tape().variable(tensor));
      }
      const auto values = vars.back().value.span();
      numbers.emplace_back(values.begin(), values.end());
    }
  }

  // Something that stands in a gradient before the operation adds its own.
  void fill_gradient(std::size_t i, float value) {
    if (source_ != Source::kSparseParameters) {
      std::fill_n(context.tape().slot(vars[i]).data, vars[i].value.count(), value);
      return;
    }
    SparseRows& rows = gradients_->sparse(parameters_[static_cast<Index>(i)]);
    for (std::int32_t id = 0; id < vars[i].rows(); ++id) {
      std::fill_n(rows.at(id), rows.columns(), value);
    }
  }

  std::vector<float> gradient(std::size_t i) {
    if (source_ != Source::kSparseParameters) {
      const auto values = context.tape().gradient(vars[i]).span();
      return {values.begin(), values.end()};
    }
    SparseRows& rows = gradients_->sparse(parameters_[static_cast<Index>(i)]);
    std::vector<float> values;
    for (std::int32_t id = 0; id < vars[i].rows(); ++id) {
      values.insert(values.end(), rows.at(id), rows.at(id) + rows.columns());
    }
    return values;
  }

  // New memory is zero, which would hide what an operation forgets to write.
  static void dirty(Arena& arena) {
    const auto numbers = arena.array<float>(Index{1} << 18);
    std::fill(numbers.begin(), numbers.end(), std::numeric_limits<float>::quiet_NaN());
  }

  Context context;
  std::vector<Var> vars;
  std::vector<std::vector<double>> numbers;

 private:
  Source source_;
  Parameters parameters_;
  std::optional<Gradients> gradients_;
};

// Of Σ w y, for each number of each input.
std::vector<std::vector<double>> slow_gradients(const OperationCase& row,
                                                const std::vector<std::vector<double>>& numbers,
                                                const Tensor& weights) {
  std::vector<std::vector<reference::Dual>> duals;
  for (const auto& values : numbers) duals.emplace_back(values.begin(), values.end());
  std::vector<std::vector<double>> slopes(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (reference::Dual& number : duals[i]) {
      number.slope = 1.0;
      const std::vector<reference::Dual> outcome = row.derivative(duals);
      double sum = 0.0;
      for (std::size_t k = 0; k < outcome.size(); ++k) {
        sum += static_cast<double>(weights[static_cast<Index>(k)]) * outcome[k].slope;
      }
      slopes[i].push_back(sum);
      number.slope = 0.0;
    }
  }
  return slopes;
}

// What the tape calls the operation that made y, asked as a user is told it: by where a NaN comes
// from, "attention, operation 4 of the step, (64, 80)".
std::string recorded_name(Inputs& inputs, const Var& y) {
  if (y.value.count() == 0) return {};
  for (const Var& input : inputs.vars) {
    if (input.node == y.node) return {};
  }
  const float kept = y.value[0];
  y.value[0] = std::numeric_limits<float>::quiet_NaN();
  const std::string where = inputs.context.tape().first_non_finite_value();
  y.value[0] = kept;
  return where.substr(0, where.find(','));
}

}  // namespace

std::string recorded_operation(const OperationCase& row, std::uint64_t seed) {
  Inputs inputs(row, seed);
  const Var y = row.run(inputs.context, inputs.vars);
  return recorded_name(inputs, y);
}

void check_operation(const OperationCase& row, std::uint64_t seed) {
  SCOPED_TRACE(row.operation + "/" + row.name + ", seed " + std::to_string(seed));
  std::vector<double> expected;
  std::vector<std::vector<double>> slopes;
  // What stands in a gradient before must be added to, not lost; where nothing stands, whatever
  // the memory holds must not matter. Each input is once this and once that.
  for (const std::size_t filled : {0u, 1u}) {
    Inputs inputs(row, seed);
    std::size_t work = 0;
    for (const auto& values : inputs.numbers) work = std::max(work, values.size());
    const Var y = row.run(inputs.context, inputs.vars);
    if (expected.empty()) expected = row.value(inputs.numbers);
    expect_near_all("value", y.value.span(), expected, tolerance(row, expected, work));
    if (static_cast<std::size_t>(y.value.count()) != expected.size()) return;
    const std::string recorded = recorded_name(inputs, y);
    EXPECT_TRUE(recorded.empty() || recorded == row.operation) << "it is " << recorded;

    // Σ w y for random w, so that no symmetry hides a mistake.
    const Tensor weights = inputs.context.arena().tensor(y.shape());
    Random random(mix(seed, 1000));
    for (float& weight : weights.span()) weight = random.normal();
    if (slopes.empty()) slopes = slow_gradients(row, inputs.numbers, weights);
    for (std::size_t i = filled; i < slopes.size(); i += 2) inputs.fill_gradient(i, kFilled);
    inputs.context.tape().backward(y, weights);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      std::vector<double> gradient = slopes[i];
      for (double& slope : gradient) slope += i % 2 == filled ? kFilled : 0.0;
      expect_near_all("gradient of input " + std::to_string(i), inputs.gradient(i), gradient,
                      tolerance(row, gradient, std::max(work, expected.size())));
    }
  }
}

void check_nan(const OperationCase& row, std::uint64_t seed) {
  for (std::size_t i = 0; i < row.inputs.size(); ++i) {
    if (row.inputs[i].count() == 0) continue;
    for (const Index place : {Index{0}, row.inputs[i].count() - 1}) {
      SCOPED_TRACE(row.operation + "/" + row.name + ", NaN at " + std::to_string(place) +
                   " of input " + std::to_string(i));
      Inputs inputs(row, seed);
      inputs.vars[i].value[place] = std::numeric_limits<float>::quiet_NaN();
      inputs.numbers[i][static_cast<std::size_t>(place)] = std::numeric_limits<double>::quiet_NaN();
      const Var y = row.run(inputs.context, inputs.vars);
      const std::vector<double> expected = row.value(inputs.numbers);
      ASSERT_EQ(static_cast<std::size_t>(y.value.count()), expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        if (std::isnan(expected[k])) {
          ASSERT_FALSE(std::isfinite(y.value[static_cast<Index>(k)])) << "lost at " << k;
        }
      }
    }
  }
}

}  // namespace heed::test
