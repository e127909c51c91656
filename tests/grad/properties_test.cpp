#include <gtest/gtest.h>

#include <numeric>

#include "heed/grad/linear.h"
#include "heed/grad/norm.h"
#include "tests/support/attention_setup.h"

namespace heed::test {
namespace {

using Floats = std::vector<float>;

Floats normal(Index count, std::uint64_t seed) {
  Random random(seed);
  Floats numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = random.normal();
  return numbers;
}

Tensor tensor_of(Context& context, const Shape& shape, const Floats& numbers) {
  const Tensor tensor = context.arena().tensor(shape);
  std::copy(numbers.begin(), numbers.end(), tensor.data);
  return tensor;
}

Floats floats_of(const Tensor& tensor) { return {tensor.span().begin(), tensor.span().end()}; }

Floats rows_between(const Floats& numbers, Index begin, Index count, Index width) {
  return {numbers.begin() + begin * width, numbers.begin() + (begin + count) * width};
}

void expect_close(const Floats& got, const Floats& expected, double bound) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], bound) << i;
}

// Self-attention of one fused input: the value, and the gradient of Σ w y.
struct Attended {
  Floats value, gradient;
};

Attended attend(const AttentionSetup& setup, const Floats& x, const Floats& weights) {
  Parameters none;
  Gradients gradients(none);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Var input = context.tape().variable(tensor_of(context, setup.inputs()[0], x));
  const Var y = setup.run(context, std::span(&input, 1));
  context.tape().backward(y, tensor_of(context, y.shape(), weights));
  return {floats_of(y.value), floats_of(context.tape().gradient(input))};
}

AttentionSetup two_heads(const std::vector<Index>& lengths) { return fused(lengths, 2, 4); }
constexpr Index kWidth = 24, kValueWidth = 8;  // of two_heads()'s input and output

// Without positions, attention sees a set.
TEST(Properties, PermutingRowsPermutesAttention) {
  const Index length = 71;
  std::vector<Index> order(static_cast<std::size_t>(length));
  std::iota(order.begin(), order.end(), 0);
  Random random(21);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    std::swap(order[i], order[random.below(static_cast<std::uint32_t>(i + 1))]);
  }
  const auto permuted = [&](const Floats& rows, Index width) {
    Floats result;
    for (const Index row : order) {
      const Floats one = rows_between(rows, row, 1, width);
      result.insert(result.end(), one.begin(), one.end());
    }
    return result;
  };
  const Floats x = normal(length * kWidth, 22), weights = normal(length * kValueWidth, 23);
  const Attended plain = attend(two_heads({length}), x, weights);
  const Attended moved =
      attend(two_heads({length}), permuted(x, kWidth), permuted(weights, kValueWidth));
  expect_close(moved.value, permuted(plain.value, kValueWidth), 2e-6);
  expect_close(moved.gradient, permuted(plain.gradient, kWidth), 1e-5);
}

TEST(Properties, ABatchEqualsItsSequencesOneByOne) {
  const std::vector<Index> lengths = {1, 5, 0, 70, 17};
  const Floats x = normal(total(lengths) * kWidth, 24);
  const Floats weights = normal(total(lengths) * kValueWidth, 25);
  for (const bool causal : {false, true}) {
    AttentionSetup setup = two_heads(lengths);
    if (causal) setup.mask.after = 0;
    const Attended batch = attend(setup, x, weights);
    Index begin = 0;
    for (const Index length : lengths) {
      setup.queries = setup.keys = {length};
      const Attended one = attend(setup, rows_between(x, begin, length, kWidth),
                                  rows_between(weights, begin, length, kValueWidth));
      EXPECT_EQ(one.value, rows_between(batch.value, begin, length, kValueWidth));
      EXPECT_EQ(one.gradient, rows_between(batch.gradient, begin, length, kWidth));
      begin += length;
    }
  }
}

// The tape keeps what it needs of a call: the caller's masks and slopes may change or go.
TEST(Properties, AttentionKeepsItsOwnMasks) {
  AttentionSetup setup = two_heads({5, 3});
  setup.hidden = {0, 1, 0, 0, 1, 0, 0, 1};
  setup.slopes = {0.5f, 0.25f};
  const Floats x = normal(8 * kWidth, 34), weights = normal(8 * kValueWidth, 35);
  const Attended expected = attend(setup, x, weights);

  Parameters none;
  Gradients gradients(none);
  Context context;
  AttentionTrace trace;
  context.begin(Mode::kTrain, &gradients);
  context.trace = &trace;
  const Var input = context.tape().variable(tensor_of(context, setup.inputs()[0], x));
  const Var y = setup.run(context, std::span(&input, 1));
  const Floats seen = trace.weights(0, 0, 1);
  setup.hidden.assign(8, 0);
  setup.slopes.assign(2, 9.0f);
  EXPECT_EQ(trace.weights(0, 0, 1), seen);
  context.tape().backward(y, tensor_of(context, y.shape(), weights));
  EXPECT_EQ(floats_of(context.tape().gradient(input)), expected.gradient);
}

TEST(Properties, RaggedEqualsPaddedAndHidden) {
  const std::vector<Index> lengths = {3, 20, 1};
  const Index longest = 20, count = 3;
  const Floats x = normal(total(lengths) * kWidth, 26);
  const Floats weights = normal(total(lengths) * kValueWidth, 27);
  const Attended ragged = attend(two_heads(lengths), x, weights);

  AttentionSetup padded = two_heads({longest, longest, longest});
  padded.hidden.assign(static_cast<std::size_t>(count * longest), 1);
  Floats padded_x = normal(count * longest * kWidth, 28);  // padding is anything
  Floats padded_weights(static_cast<std::size_t>(count * longest * kValueWidth), 0.0f);
  Index begin = 0;
  for (Index s = 0; s < count; ++s) {
    const Index length = lengths[static_cast<std::size_t>(s)];
    std::fill_n(padded.hidden.begin() + s * longest, length, std::uint8_t{0});
    std::copy_n(x.begin() + begin * kWidth, length * kWidth,
                padded_x.begin() + s * longest * kWidth);
    std::copy_n(weights.begin() + begin * kValueWidth, length * kValueWidth,
                padded_weights.begin() + s * longest * kValueWidth);
    begin += length;
  }
  const Attended outcome = attend(padded, padded_x, padded_weights);
  begin = 0;
  for (Index s = 0; s < count; ++s) {
    const Index length = lengths[static_cast<std::size_t>(s)];
    expect_close(rows_between(outcome.value, s * longest, length, kValueWidth),
                 rows_between(ragged.value, begin, length, kValueWidth), 2e-6);
    expect_close(rows_between(outcome.gradient, s * longest, length, kWidth),
                 rows_between(ragged.gradient, begin, length, kWidth), 1e-5);
    const Floats rest =
        rows_between(outcome.gradient, s * longest + length, longest - length, kWidth);
    EXPECT_EQ(rest, Floats(rest.size(), 0.0f)) << "padding of sequence " << s;
    begin += length;
  }
}

// Ones through dropout: what is left shows the factors.
Floats dropped(float rate, Context::Draw draw, const std::vector<Index>& lengths, Index columns,
               Index first = 0, Mode mode = Mode::kTrain) {
  Context context;
  context.begin(mode, nullptr, draw);
  const Layout layout = Layout::of(context.arena(), lengths, first);
  const Tensor ones = context.arena().tensor({layout.rows(), columns});
  std::fill_n(ones.data, ones.count(), 1.0f);
  return floats_of(
      grad::dropout(context, context.constant(ones), context.dropout(rate, layout)).value);
}

TEST(Properties, DropoutKeepsItsShareAndTheExpectation) {
  for (const float rate : {0.1f, 0.5f, 0.9f}) {
    const Floats y = dropped(rate, {31, 0}, {300, 100}, 250);
    double kept = 0.0, sum = 0.0;
    for (const float value : y) {
      EXPECT_FLOAT_EQ(value, value != 0.0f ? 1.0f / (1.0f - rate) : 0.0f);
      kept += value != 0.0f ? 1.0 : 0.0;
      sum += value;
    }
    const auto count = static_cast<double>(y.size());
    // Five standard deviations of a binomial share.
    const double bound = 5.0 * std::sqrt(rate * (1.0 - rate) / count);
    EXPECT_NEAR(kept / count, 1.0 - rate, bound) << rate;
    EXPECT_NEAR(sum / count, 1.0, bound / (1.0 - rate)) << rate;
  }
}

// No column, and no row, is treated otherwise than the rest.
TEST(Properties, DropoutIsEvenOverRowsAndColumns) {
  const Index rows = 400, columns = 96;
  const Floats y = dropped(0.5f, {32, 0}, {rows}, columns);
  Floats by_row(static_cast<std::size_t>(rows)), by_column(static_cast<std::size_t>(columns));
  for (Index i = 0; i < rows * columns; ++i) {
    by_row[static_cast<std::size_t>(i / columns)] += 0.5f * y[static_cast<std::size_t>(i)];
    by_column[static_cast<std::size_t>(i % columns)] += 0.5f * y[static_cast<std::size_t>(i)];
  }
  // Six deviations: 496 places are looked at.
  for (const float kept : by_row) EXPECT_NEAR(kept, columns / 2.0, 6.0 * std::sqrt(columns / 4.0));
  for (const float kept : by_column) EXPECT_NEAR(kept, rows / 2.0, 6.0 * std::sqrt(rows / 4.0));
}

TEST(Properties, DropoutRepeatsForTheSameStepAndDiffersForAnother) {
  const Floats y = dropped(0.5f, {33, 4}, {5, 6}, 40);
  EXPECT_EQ(y, dropped(0.5f, {33, 4}, {5, 6}, 40));
  EXPECT_NE(y, dropped(0.5f, {33, 5}, {5, 6}, 40));
  EXPECT_NE(y, dropped(0.5f, {34, 4}, {5, 6}, 40));
  EXPECT_NE(rows_between(y, 0, 5, 40), rows_between(y, 5, 5, 40)) << "sequences draw alike";
}

TEST(Properties, TwoDropoutsOfOnePassDiffer) {
  Context context;
  context.begin(Mode::kTrain, nullptr, {35, 0});
  EXPECT_NE(context.dropout(0.5f).key, context.dropout(0.5f).key);
}

TEST(Properties, DropoutDoesNothingInEvaluation) {
  EXPECT_EQ(dropped(0.5f, {36, 0}, {3, 4}, 40, 0, Mode::kEvaluate), Floats(7 * 40, 1.0f));
}

// Two workers with a part each draw what one with the whole batch draws.
TEST(Properties, DropoutDoesNotDependOnHowABatchIsDivided) {
  const Floats whole = dropped(0.3f, {37, 1}, {2, 5, 3, 4}, 70);
  EXPECT_EQ(dropped(0.3f, {37, 1}, {2, 5}, 70, 0), rows_between(whole, 0, 7, 70));
  EXPECT_EQ(dropped(0.3f, {37, 1}, {3, 4}, 70, 2), rows_between(whole, 7, 7, 70));
}

TEST(Properties, DropoutOfAttentionDoesNotDependOnHowABatchIsDivided) {
  AttentionSetup setup = two_heads({4, 6, 3});
  const Floats x = normal(13 * kWidth, 38);
  const auto run = [&](const std::vector<Index>& lengths, Index begin, Index first) {
    Context context;
    context.begin(Mode::kTrain, nullptr, {39, 2});
    setup.queries = setup.keys = lengths;
    const Index rows = total(lengths);
    const Var input{tensor_of(context, {rows, kWidth}, rows_between(x, begin, rows, kWidth))};
    grad::AttentionCall call = setup.call(context, std::span(&input, 1));
    call.query_layout = call.key_layout = Layout::of(context.arena(), lengths, first);
    call.dropout = {0.4f, 99};
    return floats_of(grad::attention(context, call).value);
  };
  const Floats whole = run({4, 6, 3}, 0, 0);
  EXPECT_EQ(run({4}, 0, 0), rows_between(whole, 0, 4, kValueWidth));
  EXPECT_EQ(run({6, 3}, 4, 1), rows_between(whole, 4, 9, kValueWidth));
  EXPECT_NE(run({6, 3}, 4, 0), rows_between(whole, 4, 9, kValueWidth));
}

TEST(Properties, DropoutRefusesRatesThatLeaveNothing) {
  Context context;
  context.begin(Mode::kTrain);
  for (const float rate : {-0.1f, 1.0f, 2.0f, std::nanf("")}) {
    EXPECT_THROW(context.dropout(rate), UsageError) << rate;
  }
}

}  // namespace
}  // namespace heed::test
