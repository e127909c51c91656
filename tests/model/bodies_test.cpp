#include <gtest/gtest.h>

#include "heed/model/body/attention.h"
#include "heed/model/body/cnn.h"
#include "heed/model/body/conformer.h"
#include "heed/model/description.h"
#include "heed/model/model.h"
#include "tests/support/bodies.h"
#include "tests/support/layers.h"
#include "tests/support/made_examples.h"
#include "tests/support/messages.h"

// What every body keeps to, and what those for comparison do.
namespace heed::test {
namespace {

// A body as a small model has it.
Choice<Body> small_body(const std::string& kind) {
  Choice<Body> body(kind);
  body->apply({"test", kBodyWidth, 2, 24, 2, 0.1f});
  return body;
}

CnnBody plane() {
  CnnBody body;
  body.options().dimensions = 2;
  return body;
}

Sequences random_pictures(Context& context, Index count, const Extent& extent) {
  const std::vector<Index> lengths(static_cast<std::size_t>(count), extent.count());
  Sequences x = random_sequences(context, lengths, kBodyWidth);
  x.layout = x.layout.as_grid(extent);
  return x;
}

class Bodies : public testing::TestWithParam<std::string> {};

// Those that there are, not those that fake_axes_test.cpp adds elsewhere.
INSTANTIATE_TEST_SUITE_P(Kinds, Bodies, testing::ValuesIn(Registry<Body>::instance().names()),
                         [](const auto& kind) { return kind.param; });

TEST_P(Bodies, ABatchEqualsItsSequencesOneByOne) {
  expect_batch_equals_its_sequences(BodyReader(*small_body(GetParam())), {5, 12, 1, 8}, kBodyWidth);
}

TEST_P(Bodies, GradientsReachEveryParameter) {
  if (GetParam() == "bag") GTEST_SKIP() << "a bag has no parameters";
  const BodyReader reader(*small_body(GetParam()));
  expect_gradients_everywhere(reader.parameters, reader, {5, 12, 1, 8}, kBodyWidth);
}

TEST_P(Bodies, APictureStaysOne) {
  const BodyReader reader(*small_body(GetParam()));
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences y = reader(context, random_pictures(context, 3, {2, 5}));
  EXPECT_EQ(y.rows.shape(), (Shape{30, kBodyWidth}));
  EXPECT_EQ(y.layout.grid(), (Extent{2, 5}));
}

TEST_P(Bodies, AnEmptyBatchPassesThrough) {
  const BodyReader reader(*small_body(GetParam()));
  Context context;
  context.begin(Mode::kEvaluate);
  EXPECT_EQ(reader(context, random_sequences(context, {}, kBodyWidth)).rows.rows(), 0);
}

TEST_P(Bodies, TheDescriptionHasEveryParameterAndSomeWork) {
  Config config = made_config("label", GetParam());
  const Description description = describe_model(config, 10);
  Index parameters = 0;
  for (const PlanStep& step : description.steps) parameters += step.parameters;
  EXPECT_EQ(parameters, Model(config).parameters().size());
  EXPECT_EQ(parameters, description.parameters);
}

// The work of products, counted by hand for one small block of each kind.
double body_flops(const Body& body, Index rows) {
  Parameters parameters;
  Plan plan(rows);
  body.network(parameters, kBodyWidth)->describe(plan);
  double flops = 0.0;
  for (const PlanStep& step : plan.steps()) flops += step.flops;
  return flops;
}

TEST(ConformerBody, CountsItsWork) {
  ConformerBody body;
  body.options().conformer.hidden = 24;
  body.options().conformer.taps = 5;
  // A row of: two feed-forward layers, four projections, attention to 10 rows and their sum, a
  // product to twice the width, 5 taps for each channel, a product back.
  const double row = 2 * 2 * 16 * 24 + 4 * 16 * 16 + 2 * 10 * 16 + 2 * 16 * 16 + 5 * 16 + 16 * 16;
  EXPECT_EQ(body_flops(body, 10), 2.0 * 10.0 * row);
}

TEST(ConformerBody, AWindowHidesWhatIsFurther) {
  ConformerBody body;
  body.options().conformer.taps = 1;
  body.options().conformer.attention.mask = {.before = 2, .after = 2};
  const BodyReader reader(body);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {9}, kBodyWidth);
  const Tensor before = reader(context, x).rows.value;
  x.rows.value.row(0)[3] += 1.0f;
  const Tensor after = reader(context, x).rows.value;
  for (Index row = 0; row < 9; ++row) {
    const bool same = std::equal(before.row(row), before.row(row) + kBodyWidth, after.row(row));
    EXPECT_EQ(same, row > 2) << "row " << row;
  }
}

TEST(CnnBody, CountsItsWork) {
  CnnBody body;
  body.options().hidden = 8;
  EXPECT_EQ(body_flops(body, 10), 2.0 * 10 * (2 * 2 * 3 * 16 * 8));
  body.options().dimensions = 2;
  EXPECT_EQ(body_flops(body, 10), 2.0 * 10 * (2 * 2 * 9 * 16 * 8));
}

// Which rows change when the middle one does.
std::vector<Index> seen_from_the_middle(const Body& body, Index length, Extent extent = {}) {
  const BodyReader reader(body);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = extent.count() == length ? random_pictures(context, 1, extent)
                                               : random_sequences(context, {length}, kBodyWidth);
  const Tensor before = reader(context, x).rows.value;
  for (Index column = 0; column < kBodyWidth; ++column)
    x.rows.value.row(length / 2)[column] *= -3.0f;
  const Tensor after = reader(context, x).rows.value;
  std::vector<Index> changed;
  for (Index row = 0; row < length; ++row) {
    if (!std::equal(before.row(row), before.row(row) + kBodyWidth, after.row(row))) {
      changed.push_back(row);
    }
  }
  return changed;
}

TEST(CnnBody, DilationWidensWhatABlockSees) {
  CnnBody body;
  EXPECT_EQ(seen_from_the_middle(body, 21),  // two blocks of two convolutions: 4 on each side
            (std::vector<Index>{6, 7, 8, 9, 10, 11, 12, 13, 14}));
  body.options().dilation = 2;
  EXPECT_EQ(seen_from_the_middle(body, 21).front(), 4);  // 2 · 1 + 2 · 2
}

TEST(CnnBody, OfAPictureItSeesLinesAboveAndBelow) {
  CnnBody body = plane();
  body.options().layers = 1;
  std::vector<Index> expected;  // of 7 × 7, five lines and five columns around the middle
  for (Index line = 1; line < 6; ++line) {
    for (Index column = 1; column < 6; ++column) expected.push_back(7 * line + column);
  }
  EXPECT_EQ(seen_from_the_middle(body, 49, {7, 7}), expected);
}

// One layer whose attention sees nothing but the row itself: what is left is the convolution.
TEST(AttentionBody, OfAPictureAConvolutionSeesLinesAboveAndBelow) {
  AttentionBody body;
  body.apply({"test", kBodyWidth, 2, 24, 1, 0.0f});
  body.options().encoder.attention.mask = {.before = 0, .after = 0};
  body.options().encoder.convolution = {.taps = 3, .dimensions = 2};
  EXPECT_EQ(seen_from_the_middle(body, 49, {7, 7}),
            (std::vector<Index>{16, 17, 18, 23, 24, 25, 30, 31, 32}));
  body.options().encoder.attention.mask = {};
  const BodyReader reader(body);
  const auto on_pictures = [&](Context& context, Sequences x) {
    x.layout = x.layout.as_grid({3, 4});
    return reader(context, x);
  };
  expect_gradients_everywhere(reader.parameters, on_pictures, {12, 12}, kBodyWidth);
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {4}, kBodyWidth);
  EXPECT_TRUE(starts_with(message_of<UsageError>([&] { reader(context, x); }),
                          "[encoder] convolution.dimensions 2: expected pictures"));
}

TEST(CnnBody, GradientsReachEveryParameterOfPictures) {
  const BodyReader reader(plane());
  const auto on_pictures = [&](Context& context, Sequences x) {
    x.layout = x.layout.as_grid({3, 4});
    return reader(context, x);
  };
  expect_gradients_everywhere(reader.parameters, on_pictures, {12, 12}, kBodyWidth);
}

TEST(CnnBody, SequencesAreNotTakenForPictures) {
  const BodyReader reader(plane());
  Context context;
  context.begin(Mode::kEvaluate);
  const Sequences x = random_sequences(context, {4}, kBodyWidth);
  EXPECT_EQ(message_of<UsageError>([&] { reader(context, x); }),
            "body.dimensions 2: the input gives sequences, not pictures; expected 1");
}

TEST(CnnBody, OptionsThatDoNotFitAreSaid) {
  CnnBody body = plane();
  EXPECT_EQ(body.problem(kBodyWidth), "");
  body.options().dilation = 2;
  EXPECT_EQ(body.problem(kBodyWidth), "dilation 2: expected 1 with dimensions 2");
  body.options().dimensions = 1;
  body.options().layers = 100;
  EXPECT_TRUE(starts_with(body.problem(kBodyWidth), "dilation 2: 100 layers would see more than"));
}

}  // namespace
}  // namespace heed::test
