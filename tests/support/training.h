#pragma once

#include <atomic>
#include <vector>

#include "heed/model/model.h"
#include "heed/train/trainer.h"
#include "tests/support/made_examples.h"

// What tests of training have in common.
namespace heed::test {

inline const std::atomic<bool> kNever = false;  // for runs that nobody stops

// All weights of a model, one after another.
inline std::vector<float> weights_of(const Model& model) {
  std::vector<float> weights;
  for (const Parameter& parameter : model.parameters()) {
    weights.insert(weights.end(), parameter.value.span().begin(), parameter.value.span().end());
  }
  return weights;
}

// Three epochs, no checkpoints.
inline TrainingOptions short_training(int workers) {
  TrainingOptions options;
  options.epochs = 3;
  options.batch_rows = 60;
  options.rate = 0.01f;
  options.workers = workers;
  options.checkpoint_seconds = 1e9;
  return options;
}

// A model with dropout everywhere, its examples, and a score that depends on every weight.
struct Training {
  explicit Training(TrainingOptions chosen, const std::string& output = "label")
      : Training(chosen, made_config(output, "attention", 0.2f)) {}
  Training(TrainingOptions chosen, const Config& config)
      : options(chosen), model(config), examples(made_examples(config, 80, 9)) {}

  Trainer trainer() {
    return Trainer(
        model, examples, options,
        [this](const Model& trained) {
          seen.push_back(weights_of(trained));
          double score = 0.0;
          for (const float weight : seen.back()) score += static_cast<double>(weight);
          if (!scores.empty()) score = scores.at(seen.size() - 1);
          HeldOut found(score);
          if (!losses.empty()) found.loss = losses.at(seen.size() - 1);
          found.tolerance = tolerance;
          return found;
        },
        events);
  }

  TrainingOptions options;
  Model model;
  StoredExamples examples;
  TrainingEvents events{};
  std::vector<double> scores{};            // to be given, where not empty
  std::vector<double> losses{};            // the same
  double tolerance = 0.0;                  // of the scores
  std::vector<std::vector<float>> seen{};  // the weights of each evaluation
};

}  // namespace heed::test
