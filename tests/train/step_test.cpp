#include "heed/train/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "heed/grad/embedding.h"
#include "heed/grad/loss.h"
#include "heed/grad/pool.h"
#include "heed/nn/embedding.h"
#include "heed/nn/encoder.h"

namespace heed {
namespace {

// A small text classifier on made-up ragged data, with every kind of dropout.
class Classifier {
 public:
  explicit Classifier(float dropout) {
    nn::EncoderOptions options;
    options.attention.width = 16;
    options.attention.heads = 2;
    options.attention.dropout = dropout;
    options.feed_forward.hidden = 24;
    options.feed_forward.dropout = dropout;
    options.dropout = dropout;
    options.layers = 2;
    const Scope scope(parameters_);
    embedding_.emplace(scope / "embedding", 40, 16);
    encoder_.emplace(scope / "encoder", options);
    last_.emplace(scope / "last", 16, 3);
    Random random(11);
    for (const Index length : lengths_) {
      targets_.push_back(static_cast<std::int32_t>(random.below(3)));
      for (Index i = 0; i < length; ++i) {
        ids_.push_back(static_cast<std::int32_t>(random.below(40)));
      }
    }
  }

  Parameters& parameters() { return parameters_; }
  std::span<const Index> lengths() const { return lengths_; }

  Var loss(Context& context, Index first, Index last) const {
    if (first == last) return {};
    const std::span<const Index> lengths(lengths_.data() + first, lengths_.data() + last);
    Index row = 0;
    for (Index s = 0; s < first; ++s) row += lengths_[static_cast<std::size_t>(s)];
    const Layout layout = Layout::of(context.arena(), lengths, first);
    const Sequences x = (*embedding_)(
        context, {ids_.data() + row, static_cast<std::size_t>(layout.rows())}, layout);
    const Var pooled = grad::pool(context, (*encoder_)(context, x), grad::Pool::kMean);
    return grad::cross_entropy(context, (*last_)(context, pooled),
                               {targets_.data() + first, static_cast<std::size_t>(last - first)},
                               {.divisor = static_cast<float>(lengths_.size())});
  }

 private:
  std::vector<Index> lengths_ = {3, 1, 9, 4, 4, 20, 2, 7};
  Parameters parameters_{3};
  std::optional<nn::Embedding> embedding_;
  std::optional<nn::Encoder> encoder_;
  std::optional<nn::Linear> last_;
  std::vector<std::int32_t> ids_, targets_;
};

struct Trained {
  std::vector<float> losses;
  std::vector<float> weights;
};

Trained train(int workers, float dropout, int steps, float clip = 0.0f) {
  Classifier model(dropout);
  Workers team(workers);
  AdamW optimizer(model.parameters());
  TrainingStep step(model.parameters(), optimizer, team, {.seed = 5, .clip = clip});
  const std::vector<Index> bounds = deal(model.lengths(), workers);
  Trained run;
  for (int i = 0; i < steps; ++i) {
    const StepResult result = step(
        [&](Context& context, int worker) {
          const auto w = static_cast<std::size_t>(worker);
          return model.loss(context, bounds[w], bounds[w + 1]);
        },
        0.01f);
    run.losses.push_back(result.loss);
  }
  for (const Parameter& parameter : model.parameters()) {
    run.weights.insert(run.weights.end(), parameter.value.span().begin(),
                       parameter.value.span().end());
  }
  return run;
}

TEST(TrainingStep, TheLossFalls) {
  const Trained run = train(1, 0.1f, 60);
  EXPECT_GT(run.losses.front(), 0.8f);
  EXPECT_LT(run.losses.back(), 0.2f);
}

TEST(TrainingStep, TheSameSeedAndWorkersGiveTheSameModelToTheBit) {
  for (const int workers : {1, 2, 3}) {
    EXPECT_EQ(train(workers, 0.2f, 5).weights, train(workers, 0.2f, 5).weights);
  }
}

// Dropout is drawn by sequence, so only the order of sums differs. One step: AdamW's division would
// blow rounding up later.
TEST(TrainingStep, MoreWorkersGiveTheSameStepUpToTheOrderOfSums) {
  const Trained one = train(1, 0.2f, 3);
  for (const int workers : {2, 3, 8, 11}) {
    const Trained many = train(workers, 0.2f, 3);
    for (std::size_t i = 0; i < one.losses.size(); ++i) {
      EXPECT_NEAR(many.losses[i], one.losses[i], 2e-4f) << workers << " workers, step " << i;
    }
    EXPECT_NEAR(many.losses[0], one.losses[0], 2e-6f) << workers << " workers";
  }
}

TEST(TrainingStep, ClippingBoundsTheNormOfAllGradientsTogether) {
  Parameters parameters;
  const Parameter& weight = parameters.add("weight", {1, 2}, Init::constant(0.0f));
  Workers workers(1);
  Sgd optimizer(parameters);
  TrainingStep step(parameters, optimizer, workers, {.clip = 1.0f});
  const StepResult result = step(
      [&](Context& context, int) {
        const Tensor x = context.arena().tensor({1, 2});
        x[0] = 30.0f;
        x[1] = 40.0f;
        return grad::linear(context, context.constant(x), context.parameter(weight), {});
      },
      1.0f);
  EXPECT_NEAR(result.gradient_norm, 50.0, 1e-4);
  EXPECT_NEAR(weight.value[0], -0.6f, 1e-5f);
  EXPECT_NEAR(weight.value[1], -0.8f, 1e-5f);
}

TEST(TrainingStep, ANonFiniteLossNamesTheStepAndTheOperationAndChangesNothing) {
  Parameters parameters;
  const Parameter& weight = parameters.add("weight", {1, 1}, Init::constant(2.0f));
  Workers workers(2);
  AdamW optimizer(parameters);
  TrainingStep step(parameters, optimizer, workers);
  const auto loss_of = [&](float scale) {
    return [&parameters, &weight, scale](Context& context, int worker) -> Var {
      if (worker == 1) return {};
      const Tensor x = context.arena().tensor({1, 1});
      x[0] = scale;
      const Var y = grad::linear(context, context.constant(x), context.parameter(weight), {});
      return grad::multiply(context, y, y);
    };
  };
  step(loss_of(1.0f), 0.1f);
  const float before = weight.value[0];
  try {
    step(loss_of(1e30f), 0.1f);
    FAIL() << "an infinite loss passed";
  } catch (const NumericError& error) {
    EXPECT_NE(std::string(error.what()).find("step 1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("multiply"), std::string::npos) << error.what();
  }
  EXPECT_EQ(weight.value[0], before);
}

// Whichever worker it happens to.
TEST(TrainingStep, ANonFiniteGradientNamesTheStepAndTheOperationItCameFrom) {
  for (int troubled = 0; troubled < 2; ++troubled) {
    Parameters parameters;
    const Parameter& weight = parameters.add("weight", {1, 1}, Init::constant(1e-30f));
    Workers workers(2);
    AdamW optimizer(parameters);
    TrainingStep step(parameters, optimizer, workers);
    const auto loss_of = [&](float factor) {
      return [&, factor](Context& context, int worker) {
        const Tensor x = context.arena().tensor({1, 1});
        x[0] = 1.0f;
        const Var y = grad::linear(context, context.constant(x), context.parameter(weight), {});
        const Var z = grad::add(context, y, y, worker == troubled ? factor : 1.0f, 1.0f);
        return grad::add(context, z, z, worker == troubled ? factor : 1.0f, 1.0f);
      };
    };
    step(loss_of(1.0f), 0.0f);
    try {
      step(loss_of(1e25f), 0.1f);
      FAIL() << "an infinite gradient passed";
    } catch (const NumericError& error) {
      EXPECT_STREQ(error.what(),
                   "[training] step 1: the gradients are not finite; the first came from add, "
                   "operation 3 of the step, (1, 1)");
    }
    EXPECT_EQ(weight.value[0], 1e-30f);
  }
}

// What arrives at the embedding is finite; what it makes of that is not.
TEST(TrainingStep, ANonFiniteGradientOfASparseTableNamesTheLookUp) {
  Parameters parameters;
  const Parameter& table =
      parameters.add("words.table", {4, 1}, Init::constant(1e-30f), {.sparse = true});
  Workers workers(1);
  AdamW optimizer(parameters);
  TrainingStep step(parameters, optimizer, workers);
  const std::vector<std::int32_t> ids = {2};
  try {
    step(
        [&](Context& context, int) {
          const Var y = grad::embedding(context, ids, table, 1e25f);
          return grad::add(context, y, y, 1e20f, 1e20f);
        },
        0.1f);
    FAIL() << "an infinite gradient passed";
  } catch (const NumericError& error) {
    EXPECT_NE(std::string(error.what()).find("embedding, operation 2"), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(table.value[2], 1e-30f);
}

TEST(TrainingStep, AnExceptionInAWorkerReachesTheCaller) {
  Classifier model(0.0f);
  Workers workers(2);
  AdamW optimizer(model.parameters());
  TrainingStep step(model.parameters(), optimizer, workers);
  EXPECT_THROW(step(
                   [](Context&, int worker) -> Var {
                     if (worker == 1) throw ShapeError("worker 1");
                     return {};
                   },
                   0.1f),
               ShapeError);
}

TEST(Deal, PartsCoverEverySequenceOnceAndAreBalanced) {
  const std::vector<Index> lengths(32, 256);
  EXPECT_EQ(deal(lengths, 2), (std::vector<Index>{0, 16, 32}));
  const std::vector<Index> one = {4096};
  const std::vector<Index> bounds = deal(one, 3);
  EXPECT_EQ(bounds.front(), 0);
  EXPECT_EQ(bounds.back(), 1);
  EXPECT_EQ(deal({}, 2), (std::vector<Index>{0, 0, 0}));
}

}  // namespace
}  // namespace heed
