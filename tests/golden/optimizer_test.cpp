#include "heed/train/optimizer.h"

#include <gtest/gtest.h>

#include "heed/train/schedule.h"
#include "tests/support/compare.h"
#include "tests/support/golden.h"

namespace heed::test {
namespace {

constexpr double kOptimizerTolerance = 1e-6;

// Ten steps on the file's gradients, in two parts, as two workers would do them.
template <typename Optimizer, typename Options>
void follow_steps(const Golden& golden, const Options& options) {
  Parameters parameters;
  const Parameter& weight =
      parameters.add("weight", golden.shape("parameter.weight"), Init::constant(0.0f));
  golden.load(parameters);
  Gradients gradients(parameters);
  Optimizer optimizer(parameters, options);
  const auto count = static_cast<std::size_t>(weight.value.count());
  for (Index step = 0; step < golden.size("steps"); ++step) {
    const std::size_t begin = static_cast<std::size_t>(step) * count;
    gradients.clear();
    std::copy_n(golden.floats("input.gradients").begin() + static_cast<Index>(begin), count,
                gradients.slot(weight).data);
    optimizer.begin({.rate = golden.floats("input.rates")[static_cast<std::size_t>(step)]},
                    gradients);
    optimizer.update(gradients, 0, 2);
    optimizer.update(gradients, 1, 2);
    expect_close("step " + std::to_string(step), weight.value.span(),
                 golden.floats("output.weights").subspan(begin, count), kOptimizerTolerance);
  }
}

TEST(GoldenOptimizer, AdamWAgreesWithPyTorch) {
  const Golden golden("adamw");
  follow_steps<AdamW>(golden, AdamWOptions{.beta1 = static_cast<float>(golden.number("beta1")),
                                           .beta2 = static_cast<float>(golden.number("beta2")),
                                           .epsilon = static_cast<float>(golden.number("epsilon")),
                                           .decay = static_cast<float>(golden.number("decay"))});
}

TEST(GoldenOptimizer, SgdAgreesWithPyTorch) {
  for (const char* name : {"sgd_momentum", "sgd_nesterov"}) {
    SCOPED_TRACE(name);
    const Golden golden(name);
    follow_steps<Sgd>(golden, SgdOptions{.momentum = static_cast<float>(golden.number("momentum")),
                                         .decay = static_cast<float>(golden.number("decay")),
                                         .nesterov = golden.size("nesterov") != 0});
  }
}

TEST(GoldenSchedule, CosineAgreesWithPyTorch) {
  const Golden golden("cosine");
  const ScheduleOptions options{.kind = Schedule::kCosine,
                                .rate = static_cast<float>(golden.number("rate")),
                                .floor = static_cast<float>(golden.number("floor")),
                                .warmup = 0,
                                .steps = golden.size("steps")};
  std::vector<float> rates;
  for (Index step = 0; step <= options.steps; ++step) rates.push_back(learning_rate(options, step));
  expect_close("rates", rates, golden.floats("output.rates"), kOptimizerTolerance);
}

}  // namespace
}  // namespace heed::test
