#include "heed/model/body/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/model/model.h"
#include "tests/support/bodies.h"
#include "tests/support/layers.h"
#include "tests/support/made_examples.h"

// Sequences that are read in segments.
namespace heed::test {
namespace {

AttentionBody made_body(Index segment, std::optional<Index> memory,
                        nn::Position position = nn::Position::kNone) {
  Config config = made_config("label");
  AttentionBody body = *config.body.as<AttentionBody>();
  body.options().segment = segment;
  body.options().memory = memory;
  body.options().position.kind = position;
  return body;
}

Tensor read(const BodyReader& reader, Context& context, const std::vector<Index>& lengths) {
  context.begin(Mode::kEvaluate);
  return reader(context, random_sequences(context, lengths, kBodyWidth)).rows.value;
}

void set_dropout(AttentionBody& body, float rate) {
  body.set_dropout(rate);
  body.options().encoder.attention.dropout = rate;
}

TEST(Segments, ATextThatFitsIsReadAsEver) {
  for (const nn::Position position : {nn::Position::kSinusoidal, nn::Position::kRotary}) {
    AttentionBody body = made_body(7, std::nullopt, position);
    set_dropout(body, 0.3f);
    const BodyReader segments(body);
    body.options().segment = 0;
    const BodyReader whole(body);
    Gradients gradients(segments.parameters);
    Context one, two;
    one.begin(Mode::kTrain, &gradients, {5, 1});
    two.begin(Mode::kTrain, &gradients, {5, 1});
    const std::vector<Index> lengths = {7, 1, 4};
    const Sequences a = segments(one, random_sequences(one, lengths, kBodyWidth));
    const Sequences b = whole(two, random_sequences(two, lengths, kBodyWidth));
    for (Index i = 0; i < a.rows.value.count(); ++i) {
      ASSERT_EQ(a.rows.value[i], b.rows.value[i]) << "at " << i;
    }
    EXPECT_EQ(one.dropout(0.5f).key, two.dropout(0.5f).key);
  }
}

// Where nobody looks ahead and all is remembered, it does not matter where a segment ends.
TEST(Segments, WithEnoughMemoryCausalSegmentsEqualTheWhole) {
  for (const nn::Position position : {nn::Position::kNone, nn::Position::kRotary,
                                      nn::Position::kAlibi, nn::Position::kRelative}) {
    for (const nn::NormOrder order : {nn::NormOrder::kPre, nn::NormOrder::kPost}) {
      AttentionBody body = made_body(5, 100, position);
      body.options().encoder.order = order;
      body.options().encoder.attention.mask.causal = true;
      const BodyReader segments(body);
      body.options().segment = 0;
      const BodyReader whole(body);
      Context one, two;
      const std::vector<Index> lengths = {5, 17, 1, 6, 10};
      expect_same(read(segments, one, lengths), read(whole, two, lengths), 1e-5f);
    }
  }
}

// Positions may be said for the body as a whole or inside attention; neither undoes the other.
TEST(AttentionBody, PositionsInsideAttentionStand) {
  // Relative positions have a parameter in each layer, the others have none.
  const auto is_relative = [](const AttentionBody& body) {
    const BodyReader reader(body);
    return std::any_of(
        reader.parameters.begin(), reader.parameters.end(),
        [](const Parameter& each) { return each.name.find("relative") != each.name.npos; });
  };
  AttentionBody body = made_body(0, std::nullopt);
  EXPECT_FALSE(is_relative(body));
  body.options().encoder.attention.position = nn::Position::kRelative;
  for (const nn::Position position : {nn::Position::kNone, nn::Position::kSinusoidal}) {
    body.options().position.kind = position;
    EXPECT_TRUE(is_relative(body));
  }
  body.options().position.kind = nn::Position::kRotary;
  EXPECT_FALSE(is_relative(body));
}

// A layer that looks back by so many rows needs to remember no more than these.
TEST(Segments, MemoryNeedNotBeLongerThanTheWindow) {
  AttentionBody body = made_body(4, 3);
  body.options().encoder.attention.mask.causal = true;
  body.options().encoder.attention.mask.before = 3;
  const BodyReader segments(body);
  body.options().memory = 2;
  const BodyReader less(body);
  body.options().segment = 0;
  const BodyReader whole(body);
  Context one, two, three;
  const std::vector<Index> lengths = {13, 4, 9};
  const Tensor expected = read(whole, two, lengths);
  expect_same(read(segments, one, lengths), expected, 1e-5f);
  const Tensor other = read(less, three, lengths);
  float distance = 0.0f;
  for (Index i = 0; i < other.count(); ++i) {
    distance = std::max(distance, std::abs(other[i] - expected[i]));
  }
  EXPECT_GT(distance, 1e-3f);
}

TEST(Segments, WithoutMemoryASegmentIsATextOfItsOwn) {
  const BodyReader body(made_body(4, 0, nn::Position::kSinusoidal));
  Context one, two;
  // The rows are the same, and so are the numbers.
  const Tensor together = read(body, one, {11, 3});
  expect_same(together, read(body, two, {4, 4, 3, 3}), 1e-5f);
}

TEST(Segments, ASegmentSeesTheOneBefore) {
  const BodyReader body(made_body(4, std::nullopt));
  const auto last_row = [&](float change) {
    Context context;
    context.begin(Mode::kEvaluate);
    const Sequences x = random_sequences(context, {8}, kBodyWidth);
    x.rows.value[0] += change;
    const Tensor y = body(context, x).rows.value;
    return std::vector<float>(y.row(7), y.row(7) + kBodyWidth);
  };
  EXPECT_NE(last_row(0.0f), last_row(1.0f));
}

TEST(Segments, NoGradientGoesBackThroughTheMemory) {
  const BodyReader body(made_body(4, std::nullopt));
  Gradients gradients(body.parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Sequences x = random_sequences(context, {8}, kBodyWidth);
  const Var rows = context.tape().variable(x.rows.value);
  const Sequences y = body(context, {rows, x.layout});
  const Tensor weights = context.arena().zeros(y.rows.shape());
  for (Index i = 4 * kBodyWidth; i < weights.count(); ++i)
    weights[i] = std::sin(static_cast<float>(i));
  context.tape().backward(y.rows, weights);
  const Tensor dx = context.tape().gradient(rows);
  float first = 0.0f, second = 0.0f;
  for (Index i = 0; i < 4 * kBodyWidth; ++i) {
    first = std::max(first, std::abs(dx[i]));
    second = std::max(second, std::abs(dx[4 * kBodyWidth + i]));
  }
  EXPECT_EQ(first, 0.0f);
  EXPECT_GT(second, 1e-3f);
}

// Along the gradient of one parameter, or of the rows, the loss must grow by its length.
TEST(Segments, GradientsAgreeWithDifferencesOfTheLoss) {
  constexpr double kStep = 0.01;
  const std::vector<Index> lengths = {9, 2, 4, 5};
  AttentionBody made = made_body(4, 0, nn::Position::kLearned);
  made.options().encoder.feed_forward.activation = nn::Activation::kGelu;  // smooth
  set_dropout(made, 0.3f);  // the same numbers are drawn for every loss
  const BodyReader body(made);
  Gradients gradients(body.parameters);
  Context values;
  values.begin(Mode::kEvaluate);
  const Tensor x = random_tensor(values, {total(lengths), kBodyWidth});
  const Tensor weights = random_tensor(values, x.shape, 5);
  Tensor dx;
  Context back;
  const auto loss = [&](bool backward) {
    Context forward;
    Context& context = backward ? back : forward;
    context.begin(Mode::kTrain, backward ? &gradients : nullptr);
    const Var rows = backward ? context.tape().variable(x) : Var{x, -1};
    const Sequences y = body(context, {rows, layout_of(context, lengths)});
    double sum = 0.0;
    for (Index i = 0; i < weights.count(); ++i) {
      sum += static_cast<double>(weights[i]) * static_cast<double>(y.rows.value[i]);
    }
    if (backward) {
      context.tape().backward(y.rows, context.arena().copy(weights));
      dx = context.tape().gradient(rows);
    }
    return sum;
  };
  gradients.clear();
  loss(true);
  const auto check = [&](const Tensor& value, const Tensor& gradient, const std::string& name) {
    double square = 0.0;
    for (const float each : gradient.span()) square += static_cast<double>(each) * each;
    const double length = std::sqrt(square);
    if (length < 1e-3) return;  // the bias of keys
    const std::vector<float> kept(value.data, value.data + value.count());
    const auto moved = [&](double step) {
      for (Index i = 0; i < value.count(); ++i) {
        value[i] =
            kept[static_cast<std::size_t>(i)] + static_cast<float>(step / length) * gradient[i];
      }
      return loss(false);
    };
    const auto difference = [&](double step) { return (moved(step) - moved(-step)) / (2 * step); };
    const double slope = (4.0 * difference(kStep / 2.0) - difference(kStep)) / 3.0;
    moved(0.0);
    EXPECT_NEAR(slope, length, 2e-3 * std::max(length, 0.5)) << name;
  };
  int checked = 0;
  for (const Parameter& parameter : body.parameters) {
    check(parameter.value, gradients.dense(parameter), parameter.name);
    ++checked;
  }
  EXPECT_GT(checked, 20);
  check(x, dx, "x");
}

double training_loss(const Model& model, const Batch& part) {
  Gradients gradients(model.parameters());
  Context context;
  context.begin(Mode::kTrain, &gradients, {9, 4});
  return static_cast<double>(model.loss(context, part).value[0]);
}

// Not even if one worker has all the long sequences.
TEST(Segments, DropoutDoesNotDependOnWhoReadsASequence) {
  for (const char* output : {"label", "tags"}) {
    Config config = made_config(output, "attention", 0.4f);
    attention_of(config).segment = 3;
    const Model model(config);
    const Batch batch = made_examples(config, 20, 11);
    const double whole = training_loss(model, batch);
    double sum = 0.0;
    for (Index i = 0; i < batch.sequences(); ++i) sum += training_loss(model, part_of(batch, i, 1));
    EXPECT_NEAR(sum, whole, 1e-4);
  }
}

TEST(Segments, SegmentsDrawDifferentRandomNumbers) {
  for (const float rate : {0.0f, 0.5f}) {
    AttentionBody made = made_body(4, 0);
    set_dropout(made, rate);
    const BodyReader body(made);
    Gradients gradients(body.parameters);
    Context context;
    context.begin(Mode::kTrain, &gradients);
    const Sequences x = random_sequences(context, {12}, kBodyWidth);
    for (Index i = 4 * kBodyWidth; i < x.rows.value.count(); ++i) {
      x.rows.value[i] = x.rows.value[i - 4 * kBodyWidth];
    }
    const Tensor y = body(context, x).rows.value;
    for (const auto& [one, two] : {std::pair{0, 1}, {1, 2}, {0, 2}}) {
      const bool same = std::equal(y.row(4 * one), y.row(4 * one + 4), y.row(4 * two));
      EXPECT_EQ(same, rate == 0.0f) << "segments " << one << " and " << two;
    }
  }
}

TEST(Segments, LocationScoresMustKnowASegmentAndItsMemory) {
  AttentionBody body = made_body(20, 13);
  body.options().encoder.attention.score = nn::Score::kLocation;
  body.options().encoder.attention.longest = 32;
  EXPECT_EQ(body.problem(kBodyWidth),
            "attention.longest 32: a segment of 20 rows with a memory of 13 needs more positions");
  body.options().memory = 12;
  EXPECT_EQ(body.problem(kBodyWidth), "");
  const BodyReader reader(body);
  Context context;
  EXPECT_EQ(read(reader, context, {50}).rows(), 50);
}

}  // namespace
}  // namespace heed::test
