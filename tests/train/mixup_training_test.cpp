#include <gtest/gtest.h>

#include <cmath>

#include "heed/model/input/image.h"
#include "heed/model/prepared.h"
#include "heed/train/trainer.h"
#include "tests/support/pictures.h"
#include "tests/support/training.h"

namespace heed::test {
namespace {

struct Learned {
  double first_loss = 0.0;  // of the first step
  std::vector<float> weights;
};

// Two epochs on random pictures.
Learned trained_with(float mixup, int workers) {
  Dataset data;
  for (std::uint64_t key = 0; key < 24; ++key) {
    data.records.push_back(make_record(
        Picture{.pixels = std::make_shared<const Pixels>(random_pixels(8, 8, 1, key))}));
    data.records.back().answer = Label{key % 3 == 0 ? "a" : "b"};
  }
  Config config;
  config.width = 8;
  config.body->apply({"test", 8, 2, 12, 1, 0.0f});
  config.input = Choice<Input>("image");
  config.input.as<ImageInput>()->options().augmentation = {.flip = true, .mixup = mixup};
  config.input->survey(data);
  config.input->fit(data);
  config.output->fit(data, false);
  Model model(config);
  Workers team(1);
  const PreparedExamples examples(data, model, team);
  TrainingOptions options;
  options.epochs = 2;
  options.batch_rows = 6 * config.input->longest();
  options.workers = workers;
  Learned learned;
  TrainingEvents events;
  events.step = [&](const TrainingState& state, const StepResult& result, float) {
    if (state.steps == 1) learned.first_loss = result.loss;
  };
  Trainer trainer(
      model, examples, options, [](const Model&) { return HeldOut(0.0); }, events);
  trainer.run(kNever);
  learned.weights = weights_of(model);
  return learned;
}

TEST(MixupTraining, WhatAnExampleIsMixedWithDoesNotDependOnWhoLoadsIt) {
  const Learned one = trained_with(0.5f, 1), two = trained_with(0.5f, 2);
  const Learned unmixed = trained_with(0.0f, 1);
  EXPECT_EQ(one.weights, trained_with(0.5f, 1).weights);
  // Another partner would change the loss as mixing itself does; two workers add in another order.
  EXPECT_GT(std::abs(one.first_loss - unmixed.first_loss), 1e-3);
  EXPECT_NEAR(one.first_loss, two.first_loss, 1e-6);
}

}  // namespace
}  // namespace heed::test
