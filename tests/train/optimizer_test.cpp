#include "heed/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/random.h"

namespace heed {
namespace {

// AdamW for one number, from its definition, in double.
struct SlowAdamW {
  double weight, mean = 0.0, square = 0.0;
  int steps = 0;

  void step(double gradient, double rate, const AdamWOptions& o, bool decays) {
    ++steps;
    if (decays) weight *= 1.0 - rate * o.decay;
    mean = o.beta1 * mean + (1.0 - o.beta1) * gradient;
    square = o.beta2 * square + (1.0 - o.beta2) * gradient * gradient;
    const double m = mean / (1.0 - std::pow(o.beta1, steps));
    const double v = square / (1.0 - std::pow(o.beta2, steps));
    weight -= rate * m / (std::sqrt(v) + o.epsilon);
  }
};

TEST(AdamW, FollowsItsDefinitionStepByStep) {
  Parameters parameters;
  const Parameter& decayed = parameters.add("decayed", {3, 7}, Init::normal(1.0f));
  const Parameter& plain = parameters.add("plain", {5}, Init::normal(1.0f), {.decay = false});
  const AdamWOptions options{.decay = 0.1f};
  AdamW optimizer(parameters, options);
  Gradients gradients(parameters);
  std::vector<SlowAdamW> slow;
  for (const Parameter* parameter : {&decayed, &plain}) {
    for (const float value : parameter->value.span()) slow.push_back({value});
  }
  Random random(5);
  for (int step = 0; step < 20; ++step) {
    const float rate = 0.01f / static_cast<float>(step + 1);
    gradients.clear();
    std::size_t place = 0;
    for (const Parameter* parameter : {&decayed, &plain}) {
      const Slot slot = gradients.slot(*parameter);
      for (Index i = 0; i < parameter->value.count(); ++i) {
        slot.data[i] = random.normal();
        slow[place++].step(0.5 * slot.data[i], rate, options, parameter == &decayed);
      }
    }
    optimizer.begin({rate, 0.5f}, gradients);
    for (int part = 0; part < 3; ++part) optimizer.update(gradients, part, 3);
  }
  std::size_t place = 0;
  for (const Parameter* parameter : {&decayed, &plain}) {
    for (const float value : parameter->value.span()) {
      EXPECT_NEAR(value, slow[place++].weight, 1e-5);
    }
  }
}

TEST(AdamW, ASparseParameterSeenAtEveryStepIsADenseOne) {
  Parameters parameters;
  const Parameter& dense = parameters.add("table", {4, 3}, Init::constant(0.5f));
  const Parameter& sparse =
      parameters.add("sparse", {4, 3}, Init::constant(0.5f), {.decay = true, .sparse = true});
  AdamW optimizer(parameters, {.decay = 0.1f});
  Gradients gradients(parameters);
  Random random(6);
  for (int step = 0; step < 10; ++step) {
    gradients.clear();
    const Slot slot = gradients.slot(dense);
    for (std::int32_t row = 0; row < 4; ++row) {
      float* place = gradients.sparse(sparse).at(row);
      for (Index i = 0; i < 3; ++i) place[i] = slot.data[row * 3 + i] = random.normal();
    }
    optimizer.begin({0.01f}, gradients);
    optimizer.update(gradients, 0, 1);
  }
  for (Index i = 0; i < 12; ++i) EXPECT_FLOAT_EQ(sparse.value[i], dense.value[i]);
}

TEST(AdamW, ARowThatWasAwayCatchesUpOnMomentsAndDecay) {
  Parameters parameters;
  const Parameter& sparse =
      parameters.add("sparse", {2, 1}, Init::constant(1.0f), {.decay = true, .sparse = true});
  const AdamWOptions options{.decay = 0.2f};
  AdamW optimizer(parameters, options);
  Gradients gradients(parameters);
  const auto step = [&](std::int32_t row, float gradient) {
    gradients.clear();
    gradients.sparse(sparse).at(row)[0] = gradient;
    optimizer.begin({0.1f}, gradients);
    optimizer.update(gradients, 0, 1);
  };
  SlowAdamW slow{1.0};
  step(0, 1.0f);
  slow.step(1.0, 0.1, options, true);
  for (int i = 0; i < 3; ++i) step(1, 1.0f);
  // Three steps of nothing: moments fade, decay bites, momentum does not move it.
  for (int i = 0; i < 3; ++i) {
    slow.mean *= options.beta1;
    slow.square *= options.beta2;
    slow.weight *= 1.0 - 0.1 * options.decay;
    ++slow.steps;
  }
  step(0, -1.0f);
  slow.step(-1.0, 0.1, options, true);
  EXPECT_NEAR(sparse.value[0], slow.weight, 1e-6);

  step(1, 0.0f);
  optimizer.settle();  // row 0 owes the decay of one step
  EXPECT_NEAR(sparse.value[0], slow.weight * (1.0 - 0.1 * options.decay), 1e-6);
  const float settled = sparse.value[0];
  optimizer.settle();
  EXPECT_EQ(sparse.value[0], settled);
}

// So much decay that its product over all steps is too small for a double, or 0 in a single step.
TEST(AdamW, StrongDecayNeverMakesNan) {
  for (const float decay : {4.0f, 7.99f, 8.0f}) {
    for (const float table_rate : {0.0f, 1.0f}) {
      Parameters parameters;
      const Parameter& table =
          parameters.add("table", {3, 1}, Init::constant(1.0f), {.decay = true, .sparse = true});
      AdamW optimizer(parameters, {.decay = decay, .table_rate = table_rate});
      Gradients gradients(parameters);
      const auto step = [&](std::int32_t row) {
        gradients.clear();
        gradients.sparse(table).at(row)[0] = 1.0f;
        optimizer.begin({0.125f}, gradients);
        optimizer.update(gradients, 0, 1);
      };
      step(0);
      for (int i = 0; i < 2000; ++i) step(1);  // 0.5²⁰⁰⁰ is about 10⁻⁶⁰²
      step(0);
      optimizer.settle();
      for (const float value : table.value.span()) {
        EXPECT_TRUE(std::isfinite(value)) << value << ", decay " << decay;
      }
      EXPECT_EQ(table.value[2], 0.0f) << "a row that was never seen";
      // Decay still counts when its product has long been too small.
      for (int i = 0; i < 2000; ++i) step(1);
      step(0);
      for (int i = 0; i < 200; ++i) step(1);
      optimizer.settle();
      EXPECT_NEAR(table.value[0], 0.0f, 1e-6f);
      optimizer.settle();
      step(0);
      EXPECT_TRUE(std::isfinite(table.value[0])) << table.value[0];
    }
  }
}

// One second moment for the whole table, no momentum: rows move in proportion to their gradients.
TEST(AdamW, RowsOfATableThatLearnTogetherShareTheirMoment) {
  Parameters parameters;
  const Parameter& table =
      parameters.add("table", {3, 2}, Init::constant(1.0f), {.decay = true, .sparse = true});
  const AdamWOptions options{.beta2 = 0.9f, .decay = 0.2f, .table_rate = 5.0f};
  AdamW optimizer(parameters, options);
  Gradients gradients(parameters);
  Random random(9);
  std::vector<double> weights(6, 1.0);
  double square = 0.0;
  const double rate = 0.1;
  for (int step = 1; step <= 6; ++step) {
    gradients.clear();
    double sum = 0.0;
    std::vector<double> slow(6, 0.0);
    Index touched = 0;
    for (std::int32_t row = 0; row < 3; ++row) {
      if ((step + row) % 3 == 0) continue;  // each row is away now and then
      float* place = gradients.sparse(table).at(row);
      ++touched;
      for (std::int32_t i = 0; i < 2; ++i) {
        place[i] = random.normal();
        slow[static_cast<std::size_t>(2 * row + i)] = 0.5 * static_cast<double>(place[i]);
        sum += 0.25 * static_cast<double>(place[i]) * static_cast<double>(place[i]);
      }
    }
    square = 0.9 * square + 0.1 * sum / static_cast<double>(2 * touched);
    const double unbiased = square / (1.0 - std::pow(0.9, step));
    for (std::size_t i = 0; i < 6; ++i) {
      weights[i] = (1.0 - rate * 0.2) * weights[i] - 5.0 * rate * slow[i] / std::sqrt(unbiased);
    }
    optimizer.begin({static_cast<float>(rate), 0.5f}, gradients);
    optimizer.update(gradients, 1, 2);
    optimizer.update(gradients, 0, 2);
  }
  optimizer.settle();
  for (Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(table.value[i], weights[static_cast<std::size_t>(i)], 1e-5) << i;
  }
}

std::size_t bytes_of(const std::vector<Optimizer::State>& state) {
  std::size_t bytes = 0;
  for (const Optimizer::State& part : state) bytes += part.bytes.size();
  return bytes;
}

// What a parameter adds to the optimizer's memory.
std::size_t memory_for(const Shape& shape, ParameterRule rule, const AdamWOptions& options) {
  Parameters parameters;
  parameters.add("other", {1024}, Init::constant(1.0f));
  const std::size_t before = bytes_of(AdamW(parameters, options).state());
  parameters.add("added", shape, Init::constant(1.0f), rule);
  return bytes_of(AdamW(parameters, options).state()) - before;
}

TEST(AdamW, RemembersOfAParameterOnlyWhatItsRuleNeeds) {
  const Shape shape{1024, 16};  // whole pages, which is how buffers come
  const std::size_t row = sizeof(double), moments = 2 * 16 * 1024 * sizeof(float);
  const std::size_t shared = sizeof(double) + sizeof(Index);  // one second moment, its updates
  for (const bool sparse : {false, true}) {
    for (const float table_rate : {0.0f, 10.0f}) {
      EXPECT_EQ(memory_for(shape, {.frozen = true, .sparse = sparse}, {.table_rate = table_rate}),
                0u);
    }
  }
  EXPECT_EQ(memory_for(shape, {}, {.table_rate = 10.0f}), moments);
  EXPECT_EQ(memory_for(shape, {.sparse = true}, {}), moments + 2 * 1024 * row);
  EXPECT_EQ(memory_for(shape, {.sparse = true}, {.table_rate = 10.0f}), shared + 1024 * row);
  EXPECT_EQ(memory_for(shape, {.decay = false, .sparse = true}, {.table_rate = 10.0f}), shared);
  EXPECT_EQ(memory_for(shape, {.sparse = true}, {.decay = 0.0f, .table_rate = 10.0f}), shared);
}

TEST(Optimizer, RefusesWhatWouldMakeNan) {
  Parameters parameters;
  parameters.add("weight", {1}, Init::constant(1.0f));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(AdamW(parameters, {.beta1 = 1.0f}), UsageError);
  EXPECT_THROW(AdamW(parameters, {.beta2 = -0.1f}), UsageError);
  EXPECT_THROW(AdamW(parameters, {.epsilon = -1e-8f}), UsageError);
  EXPECT_THROW(AdamW(parameters, {.decay = nan}), UsageError);
  EXPECT_THROW(Sgd(parameters, {.momentum = -1.0f}), UsageError);
}

TEST(Optimizer, AParameterWithoutGradientStaysAsItIs) {
  Parameters parameters;
  const Parameter& used = parameters.add("used", {2}, Init::constant(1.0f));
  const Parameter& unused = parameters.add("unused", {2}, Init::constant(1.0f));
  AdamW adam(parameters);
  Sgd sgd(parameters, {.momentum = 0.9f});
  for (Optimizer* optimizer : {static_cast<Optimizer*>(&adam), static_cast<Optimizer*>(&sgd)}) {
    Gradients gradients(parameters);
    std::fill_n(gradients.slot(used).data, 2, 1.0f);
    optimizer->begin({0.1f}, gradients);
    optimizer->update(gradients, 0, 1);
  }
  EXPECT_NE(used.value[0], 1.0f);
  EXPECT_EQ(unused.value[0], 1.0f);
}

TEST(Sgd, FollowsItsDefinitionWithAndWithoutNesterov) {
  for (const bool nesterov : {false, true}) {
    Parameters parameters;
    const Parameter& weight = parameters.add("weight", {1}, Init::constant(1.0f));
    Sgd optimizer(parameters, {.momentum = 0.9f, .decay = 0.1f, .nesterov = nesterov});
    Gradients gradients(parameters);
    double w = 1.0, v = 0.0;
    for (int step = 0; step < 5; ++step) {
      gradients.clear();
      gradients.slot(weight).data[0] = 0.3f;
      optimizer.begin({0.1f}, gradients);
      optimizer.update(gradients, 0, 1);
      const double g = 0.3 + 0.1 * w;
      v = 0.9 * v + g;
      w -= 0.1 * (nesterov ? g + 0.9 * v : v);
    }
    EXPECT_NEAR(weight.value[0], w, 1e-6);
  }
}

}  // namespace
}  // namespace heed
