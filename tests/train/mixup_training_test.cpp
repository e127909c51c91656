#include <gtest/gtest.h>

#include "heed/model/input/image.h"
#include "heed/model/prepared.h"
#include "heed/train/trainer.h"
#include "tests/support/pictures.h"
#include "tests/support/training.h"

namespace heed::test {
namespace {

// The weights after two epochs on random pictures.
std::vector<float> trained_with(float mixup, int workers) {
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
  Trainer trainer(model, examples, options, [](const Model&) { return HeldOut(0.0); }, {});
  trainer.run(kNever);
  return weights_of(model);
}

TEST(MixupTraining, WhatAnExampleIsMixedWithDoesNotDependOnWhoLoadsIt) {
  const std::vector<float> one = trained_with(0.5f, 1), two = trained_with(0.5f, 2);
  EXPECT_EQ(one, trained_with(0.5f, 1));
  EXPECT_NE(one, trained_with(0.0f, 1));
  ASSERT_EQ(one.size(), two.size());
  // AdamW moves a weight by up to the rate, 3e-3, whatever the size of its gradient: rounding
  // shows.
  for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], two[i], 1e-3) << i;
}

}  // namespace
}  // namespace heed::test
