#include <gtest/gtest.h>

#include "tests/support/attention_setup.h"

namespace heed::test {
namespace {

using Numbers = std::vector<std::vector<double>>;

// A pass of some calls of attention with a trace, and the numbers that went in.
struct Traced {
  explicit Traced(std::uint64_t seed) : random(seed) {
    context.begin(Mode::kEvaluate);
    context.trace = &trace;
  }

  void run(const AttentionSetup& setup) {
    std::vector<Var> vars;
    Numbers numbers;
    for (const Shape& shape : setup.inputs()) {
      const Tensor tensor = context.arena().tensor(shape);
      for (float& value : tensor.span()) value = random.normal();
      vars.push_back(context.constant(tensor));
      numbers.emplace_back(tensor.span().begin(), tensor.span().end());
    }
    setup.run(context, vars);
    inputs.push_back(numbers);
  }

  Context context;
  AttentionTrace trace;
  Random random;
  std::vector<Numbers> inputs;  // of each call
};

// Weights agree with the slow reference to 1e-6, in every row from `first` to `last`, and sum to
// one, or to zero where the reference's do.
void expect_weights(const std::vector<float>& got, const reference::Matrix<double>& expected,
                    Index first, Index last) {
  ASSERT_EQ(static_cast<Index>(got.size()), (last - first) * expected.columns);
  for (Index i = first; i < last; ++i) {
    double sum = 0.0, expected_sum = 0.0, worst = 0.0;
    for (int j = 0; j < expected.columns; ++j) {
      const double weight = got[static_cast<std::size_t>((i - first) * expected.columns + j)];
      const double slow = expected(static_cast<int>(i), j);
      worst = std::max(worst, std::abs(weight - slow));
      sum += weight;
      expected_sum += slow;
      if (slow == 0.0) {
        EXPECT_EQ(weight, 0.0) << "row " << i << ", key " << j << " is seen";
      }
    }
    EXPECT_LE(worst, 1e-6) << "row " << i;
    EXPECT_NEAR(sum, expected_sum > 0.5 ? 1.0 : 0.0, 1e-5) << "row " << i;
  }
}

void expect_all_weights(Traced& traced, Index call, const AttentionSetup& setup) {
  const Numbers& x = traced.inputs[static_cast<std::size_t>(call)];
  ASSERT_EQ(traced.trace.heads(call), setup.heads);
  for (std::size_t s = 0; s < setup.queries.size(); ++s) {
    const auto sequence = static_cast<Index>(s);
    ASSERT_EQ(traced.trace.queries(call, sequence), setup.queries[s]);
    ASSERT_EQ(traced.trace.keys(call, sequence), setup.keys[s]);
    for (Index h = 0; h < setup.heads; ++h) {
      SCOPED_TRACE(fmt::format("call {}, sequence {}, head {}", call, s, h));
      expect_weights(traced.trace.weights(call, sequence, h), setup.slow_weights(x, s, h), 0,
                     setup.queries[s]);
    }
  }
}

TEST(AttentionTrace, ShowsTheWeightsOfEveryCallHeadAndRow) {
  Traced traced(5);
  std::vector<AttentionSetup> setups = {fused({1, 5, 0, 70}, 2, 7), fused({3, 4}, 1, 4),
                                        fused({9}, 3, 1), fused({6, 2}, 2, 3)};
  setups[1].mask = {.before = 2, .after = 0, .not_self = true};
  setups[1].reach = 2;
  setups[2].slopes = {0.5f, 0.25f, 0.125f};
  setups[2].hidden = {0, 0, 1, 0, 0, 0, 1, 1, 0};
  setups[3].additive = true;
  for (const AttentionSetup& setup : setups) traced.run(setup);
  ASSERT_EQ(traced.trace.calls(), 4);
  for (Index call = 0; call < 4; ++call) {
    expect_all_weights(traced, call, setups[static_cast<std::size_t>(call)]);
  }
}

TEST(AttentionTrace, ARowThatSeesNothingHasNoWeights) {
  Traced traced(6);
  AttentionSetup setup = fused({1, 3}, 2, 2);
  setup.mask = {.after = 0, .not_self = true};
  traced.run(setup);
  EXPECT_EQ(traced.trace.weights(0, 0, 1), std::vector<float>{0.0f});
  EXPECT_EQ(traced.trace.weights(0, 1, 0, 0, 1), std::vector<float>(3, 0.0f));
  expect_all_weights(traced, 0, setup);
}

TEST(AttentionTrace, IsRightForLongSequences) {
  Traced traced(7);
  std::vector<AttentionSetup> setups(4, fused({1300}, 1, 8));
  setups[1].mask.after = 0;
  setups[2].mask = {.before = 40, .after = 10};
  setups[3].mask = {.before = 700, .after = 0, .not_self = true};
  for (const AttentionSetup& setup : setups) traced.run(setup);
  for (std::size_t call = 0; call < setups.size(); ++call) {
    expect_all_weights(traced, static_cast<Index>(call), setups[call]);
  }
}

TEST(AttentionTrace, ShowsMemorySlotsBesideALongWindow) {
  Traced traced(8);
  AttentionSetup setup{.queries = {100},
                       .keys = {1303},
                       .heads = 2,
                       .depth = 3,
                       .value_depth = 2,
                       .mask = {.slots = 3, .before = 600, .after = 0}};
  traced.run(setup);
  expect_all_weights(traced, 0, setup);
}

// Asked for row by row, or a few at a time, the weights are those of all rows.
TEST(AttentionTrace, ShowsSomeRows) {
  Traced traced(9);
  AttentionSetup setup = fused({2, 150}, 2, 5);
  setup.mask.after = 0;
  traced.run(setup);
  const auto slow = setup.slow_weights(traced.inputs[0], 1, 1);
  for (const auto& [first, rows] : {std::pair<Index, Index>{0, 1}, {149, 1}, {63, 3}, {10, 100}}) {
    expect_weights(traced.trace.weights(0, 1, 1, first, rows), slow, first, first + rows);
  }
  EXPECT_TRUE(traced.trace.weights(0, 1, 1, 4, 0).empty());
}

// Dropout hits what the weights are used for, not what they are.
TEST(AttentionTrace, ShowsWeightsBeforeDropout) {
  Traced traced(10);
  traced.context.begin(Mode::kTrain);
  AttentionSetup setup = fused({6, 40}, 2, 3);
  setup.dropout = 0.5f;
  traced.run(setup);
  expect_all_weights(traced, 0, setup);
}

TEST(AttentionTrace, IsEmptyUnlessSomebodyAsked) {
  Traced traced(11);
  traced.context.trace = nullptr;
  traced.run(fused({3}, 1, 2));
  EXPECT_EQ(traced.trace.calls(), 0);
  traced.context.trace = &traced.trace;
  traced.run(fused({3}, 1, 2));
  EXPECT_EQ(traced.trace.calls(), 1);
  traced.trace.clear();
  EXPECT_EQ(traced.trace.calls(), 0);
}

// The result is the same to the bit with a trace and without.
TEST(AttentionTrace, ChangesNothing) {
  const AttentionSetup setup = fused({5, 70}, 2, 4);
  std::vector<std::vector<float>> results;
  AttentionTrace trace;
  for (AttentionTrace* asked : {static_cast<AttentionTrace*>(nullptr), &trace}) {
    Context context;
    context.begin(Mode::kEvaluate);
    context.trace = asked;
    Random random(12);
    const Tensor tensor = context.arena().tensor(setup.inputs()[0]);
    for (float& value : tensor.span()) value = random.normal();
    const Var x = context.constant(tensor);
    const Tensor y = setup.run(context, std::span(&x, 1)).value;
    results.emplace_back(y.span().begin(), y.span().end());
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(AttentionTrace, RefusesWhatDoesNotExist) {
  Traced traced(13);
  EXPECT_THROW(traced.trace.heads(0), UsageError);
  traced.run(fused({3, 0}, 2, 2));
  const AttentionTrace& trace = traced.trace;
  for (const Index call : {-1, 1}) {
    EXPECT_THROW(trace.heads(call), UsageError);
    EXPECT_THROW(trace.queries(call, 0), UsageError);
    EXPECT_THROW(trace.weights(call, 0, 0), UsageError);
  }
  for (const Index sequence : {-1, 2}) {
    EXPECT_THROW(trace.keys(0, sequence), UsageError);
    EXPECT_THROW(trace.weights(0, sequence, 0), UsageError);
  }
  for (const Index head : {-1, 2}) EXPECT_THROW(trace.weights(0, 0, head), UsageError);
  EXPECT_THROW(trace.weights(0, 0, 0, -1, 2), UsageError);
  EXPECT_THROW(trace.weights(0, 0, 0, 2, 2), UsageError);
  EXPECT_THROW(trace.weights(0, 0, 0, 1, -1), UsageError);
  EXPECT_THROW(trace.weights(0, 0, 0, 1, std::numeric_limits<Index>::max()), UsageError);
  try {
    trace.weights(0, 0, 5);
    FAIL() << "head 5 of 2 was accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "[trace] expected a head from 0 to 1, got 5");
  }
}

// A trace of a batch without sequences can still say how many heads there were.
TEST(AttentionTrace, KnowsTheHeadsOfAnEmptyBatch) {
  Traced traced(14);
  traced.run(fused({}, 2, 2));
  EXPECT_EQ(traced.trace.heads(0), 2);
}

}  // namespace
}  // namespace heed::test
