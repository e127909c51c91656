#include <gtest/gtest.h>

#include "tests/support/training.h"

namespace heed {
namespace {

using test::kNever;
using test::short_training;
using test::Training;
using test::weights_of;

TEST(KeptWeights, AreThoseThatDidBest) {
  for (const float average : {0.0f, 0.9f}) {
    Training run(short_training(2));
    run.options.average = average;
    run.options.epochs = 4;
    run.scores = {0.3, 0.9, 0.9, 0.5};
    Trainer trainer = run.trainer();
    trainer.run(kNever);
    EXPECT_EQ(weights_of(run.model), run.seen.at(2)) << "average " << average;  // of equals
    EXPECT_NE(run.seen.at(1), run.seen.at(2));
    std::vector<bool> kept;
    for (const Evaluation& each : trainer.state().evaluations) kept.push_back(each.kept);
    EXPECT_EQ(kept, (std::vector<bool>{true, true, true, false}));
  }
}

TEST(KeptWeights, HaveTheLowestLossOfScoresThatAreAsGood) {
  Training run(short_training(2));
  run.options.epochs = 7;
  run.scores = {0.80, 0.90, 0.83, 0.88, 0.92, 0.905, 0.87};
  run.losses = {0.1, 0.5, 0.1, 0.6, 0.4, 0.45, 0.3};
  run.tolerance = 0.03;
  Trainer trainer = run.trainer();
  trainer.run(kNever);
  std::vector<bool> kept;
  for (const Evaluation& each : trainer.state().evaluations) kept.push_back(each.kept);
  EXPECT_EQ(kept, (std::vector<bool>{true, true, false, false, true, false, true}));
  EXPECT_EQ(weights_of(run.model), run.seen.at(6));  // later, and within twice the tolerance
}

TEST(KeptWeights, AreFoundWhenPatienceIsOver) {
  Training run(short_training(1));
  run.options.epochs = 50;
  run.options.patience = 2;
  run.scores = {0.1, 0.5, 0.4, 0.5, 0.9};
  Trainer trainer = run.trainer();
  EXPECT_EQ(trainer.run(kNever), Trainer::End::kFinished);
  EXPECT_EQ(trainer.state().evaluations.size(), 4u);
  EXPECT_EQ(weights_of(run.model), run.seen.at(3));
}
}  // namespace
}  // namespace heed
