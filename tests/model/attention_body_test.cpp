#include "heed/model/body/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/model/model.h"
#include "tests/support/layers.h"
#include "tests/support/made_examples.h"

// Sequences that are read in pieces.
namespace heed::test {
namespace {

constexpr Index kWidth = 16;

Config body_config(Index longest, std::optional<Index> memory,
                   nn::Position position = nn::Position::kNone) {
  Config config = made_config(OutputKind::kLabel);
  config.text.longest = longest;
  config.text.beyond = Beyond::kSegments;
  config.body.memory = memory;
  config.body.position.kind = position;
  return config;
}

Tensor read(const AttentionBody& body, Context& context, const std::vector<Index>& lengths) {
  context.begin(Mode::kEvaluate);
  return body(context, random_sequences(context, lengths, kWidth)).rows.value;
}

void set_dropout(Config& config, float rate) {
  nn::EncoderOptions& encoder = config.body.encoder;
  encoder.dropout = encoder.feed_forward.dropout = encoder.attention.dropout = rate;
}

TEST(Segments, ATextThatFitsIsReadAsEver) {
  for (const nn::Position position : {nn::Position::kSinusoidal, nn::Position::kRotary}) {
    Config config = body_config(7, std::nullopt, position);
    set_dropout(config, 0.3f);
    Parameters parameters(3);
    const AttentionBody pieces(parameters, config);
    config.text.beyond = Beyond::kCut;
    Parameters others(3);
    const AttentionBody whole(others, config);
    Gradients gradients(parameters);
    Context one, two;
    one.begin(Mode::kTrain, &gradients, {5, 1});
    two.begin(Mode::kTrain, &gradients, {5, 1});
    const std::vector<Index> lengths = {7, 1, 4};
    const Sequences a = pieces(one, random_sequences(one, lengths, kWidth));
    const Sequences b = whole(two, random_sequences(two, lengths, kWidth));
    for (Index i = 0; i < a.rows.value.count(); ++i) {
      ASSERT_EQ(a.rows.value[i], b.rows.value[i]) << "at " << i;
    }
    EXPECT_EQ(one.dropout(0.5f).key, two.dropout(0.5f).key);
  }
}

// Where nobody looks ahead and all is remembered, it does not matter where a piece ends.
TEST(Segments, WithEnoughMemoryCausalPiecesEqualTheWhole) {
  for (const nn::Position position : {nn::Position::kNone, nn::Position::kRotary,
                                      nn::Position::kAlibi, nn::Position::kRelative}) {
    for (const nn::NormOrder order : {nn::NormOrder::kPre, nn::NormOrder::kPost}) {
      Config config = body_config(5, 100, position);
      config.body.encoder.order = order;
      config.body.encoder.attention.mask.causal = true;
      Parameters parameters(3), others(3);
      const AttentionBody pieces(parameters, config);
      config.text.beyond = Beyond::kCut;
      const AttentionBody whole(others, config);
      Context one, two;
      const std::vector<Index> lengths = {5, 17, 1, 6, 10};
      expect_same(read(pieces, one, lengths), read(whole, two, lengths), 1e-5f);
    }
  }
}

// Positions may be said for the body as a whole or inside attention; neither undoes the other.
TEST(AttentionBody, PositionsInsideAttentionStand) {
  Config config = made_config(OutputKind::kLabel);
  config.body.encoder.attention.position = nn::Position::kRelative;
  for (const nn::Position position : {nn::Position::kNone, nn::Position::kSinusoidal}) {
    config.body.position.kind = position;
    EXPECT_EQ(encoder_options(config).attention.position, nn::Position::kRelative);
  }
  config.body.position.kind = nn::Position::kRotary;
  EXPECT_EQ(encoder_options(config).attention.position, nn::Position::kRotary);
}

// A layer that looks back by so many rows needs to remember no more than these.
TEST(Segments, MemoryNeedNotBeLongerThanTheWindow) {
  Config config = body_config(4, 3);
  config.body.encoder.attention.mask.causal = true;
  config.body.encoder.attention.mask.before = 3;
  Parameters parameters(3), others(3), forgetful(3);
  const AttentionBody pieces(parameters, config);
  config.body.memory = 2;
  const AttentionBody less(forgetful, config);
  config.text.beyond = Beyond::kCut;
  const AttentionBody whole(others, config);
  Context one, two, three;
  const std::vector<Index> lengths = {13, 4, 9};
  const Tensor expected = read(whole, two, lengths);
  expect_same(read(pieces, one, lengths), expected, 1e-5f);
  const Tensor other = read(less, three, lengths);
  float distance = 0.0f;
  for (Index i = 0; i < other.count(); ++i) {
    distance = std::max(distance, std::abs(other[i] - expected[i]));
  }
  EXPECT_GT(distance, 1e-3f);
}

TEST(Segments, WithoutMemoryAPieceIsATextOfItsOwn) {
  Parameters parameters(3);
  const AttentionBody body(parameters, body_config(4, 0, nn::Position::kSinusoidal));
  Context one, two;
  // The rows are the same, and so are the numbers.
  const Tensor together = read(body, one, {11, 3});
  expect_same(together, read(body, two, {4, 4, 3, 3}), 1e-5f);
}

TEST(Segments, APieceSeesTheOneBefore) {
  Parameters parameters(3);
  const AttentionBody body(parameters, body_config(4, std::nullopt));
  const auto last_row = [&](float change) {
    Context context;
    context.begin(Mode::kEvaluate);
    const Sequences x = random_sequences(context, {8}, kWidth);
    x.rows.value[0] += change;
    const Tensor y = body(context, x).rows.value;
    return std::vector<float>(y.row(7), y.row(7) + kWidth);
  };
  EXPECT_NE(last_row(0.0f), last_row(1.0f));
}

TEST(Segments, NoGradientGoesBackThroughTheMemory) {
  Parameters parameters(3);
  const AttentionBody body(parameters, body_config(4, std::nullopt));
  Gradients gradients(parameters);
  Context context;
  context.begin(Mode::kTrain, &gradients);
  const Sequences x = random_sequences(context, {8}, kWidth);
  const Var rows = context.tape().variable(x.rows.value);
  const Sequences y = body(context, {rows, x.layout});
  const Tensor weights = context.arena().zeros(y.rows.shape());
  for (Index i = 4 * kWidth; i < weights.count(); ++i) weights[i] = std::sin(static_cast<float>(i));
  context.tape().backward(y.rows, weights);
  const Tensor dx = context.tape().gradient(rows);
  float first = 0.0f, second = 0.0f;
  for (Index i = 0; i < 4 * kWidth; ++i) {
    first = std::max(first, std::abs(dx[i]));
    second = std::max(second, std::abs(dx[4 * kWidth + i]));
  }
  EXPECT_EQ(first, 0.0f);
  EXPECT_GT(second, 1e-3f);
}

// Along the gradient of one parameter, or of the rows, the loss must grow by its length.
TEST(Segments, GradientsAgreeWithDifferencesOfTheLoss) {
  constexpr double kStep = 0.01;
  const std::vector<Index> lengths = {9, 2, 4, 5};
  Parameters parameters(3);
  Config config = body_config(4, 0, nn::Position::kLearned);
  config.body.encoder.feed_forward.activation = nn::Activation::kGelu;  // smooth
  set_dropout(config, 0.3f);  // the same numbers are drawn for every loss
  const AttentionBody body(parameters, config);
  Gradients gradients(parameters);
  Context values;
  values.begin(Mode::kEvaluate);
  const Tensor x = random_tensor(values, {total(lengths), kWidth});
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
  for (const Parameter& parameter : parameters) {
    check(parameter.value, gradients.dense(parameter), parameter.name);
    ++checked;
  }
  EXPECT_GT(checked, 20);
  check(x, dx, "x");
}

double training_loss(const Model& model, const BatchPart& part) {
  Gradients gradients(model.parameters());
  Context context;
  context.begin(Mode::kTrain, &gradients, {9, 4});
  return static_cast<double>(model.loss(context, part).value[0]);
}

// Not even if one worker has all the long sequences.
TEST(Segments, DropoutDoesNotDependOnWhoReadsASequence) {
  for (const OutputKind kind : {OutputKind::kLabel, OutputKind::kTags}) {
    Config config = made_config(kind, BodyKind::kAttention, 0.4f);
    config.text.longest = 3;
    config.text.beyond = Beyond::kSegments;
    const Model model(config);
    const std::vector<Example> examples = made_examples(20, 11);
    const Batch batch = made_batch(examples);
    const double whole = training_loss(model, BatchPart(batch));
    double sum = 0.0;
    for (Index i = 0; i < batch.sequences(); ++i)
      sum += training_loss(model, BatchPart(batch, i, 1));
    EXPECT_NEAR(sum, whole, 1e-4);
  }
}

TEST(Segments, PiecesDrawDifferentRandomNumbers) {
  for (const float rate : {0.0f, 0.5f}) {
    Config config = body_config(4, 0);
    set_dropout(config, rate);
    Parameters parameters(3);
    const AttentionBody body(parameters, config);
    Gradients gradients(parameters);
    Context context;
    context.begin(Mode::kTrain, &gradients);
    const Sequences x = random_sequences(context, {12}, kWidth);
    for (Index i = 4 * kWidth; i < x.rows.value.count(); ++i) {
      x.rows.value[i] = x.rows.value[i - 4 * kWidth];
    }
    const Tensor y = body(context, x).rows.value;
    for (const auto& [one, two] : {std::pair{0, 1}, {1, 2}, {0, 2}}) {
      const bool same = std::equal(y.row(4 * one), y.row(4 * one + 4), y.row(4 * two));
      EXPECT_EQ(same, rate == 0.0f) << "pieces " << one << " and " << two;
    }
  }
}

TEST(Segments, LocationScoresMustKnowAPieceAndItsMemory) {
  Config config = body_config(20, 13);
  config.body.encoder.attention.score = nn::Score::kLocation;
  config.body.encoder.attention.longest = 32;
  const std::string message = message_of<UsageError>([&] { const Model model(config); });
  EXPECT_NE(message.find("body.memory"), std::string::npos) << message;
  config.body.memory = 12;
  Parameters parameters;
  const AttentionBody body(parameters, config);
  Context context;
  EXPECT_EQ(read(body, context, {50}).rows(), 50);
}

}  // namespace
}  // namespace heed::test
