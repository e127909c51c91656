#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "heed/base/workers.h"
#include "heed/grad/context.h"
#include "heed/train/optimizer.h"

namespace heed {

struct StepOptions {
  std::uint64_t seed = 1;
  float clip = 0.0f;  // the largest norm that all gradients together may have; 0: any
};

struct StepResult {
  float loss = 0.0f;
  double gradient_norm = 0.0;  // before clipping
};

// One training step at a time, shared by workers: each runs forward and backward on its part of the
// batch with a tape, arena and gradient buffer of its own; the gradients are summed in a fixed
// order and the optimizer moves the weights once.
//
// A loss or gradient that is not finite is a NumericError that names the step and the operation it
// came from; the weights have not been changed then. An exception in a worker reaches the caller.
class TrainingStep {
 public:
  TrainingStep(Parameters& parameters, Optimizer& optimizer, Workers& workers,
               const StepOptions& options = {});

  // `loss(context, worker)` computes the loss of that worker's part, or an empty Var where it has
  // none. Losses are added, so each is divided by what belongs to the whole batch.
  using Loss = std::function<Var(Context&, int)>;
  StepResult operator()(const Loss& loss, float rate);

  // Steps done so far: also the key of the next one's random numbers.
  Index steps() const { return steps_; }
  // To go on where a checkpoint was taken.
  void resume(Index steps) { steps_ = steps; }
  // What the last step computed, all workers together.
  Gradients& gradients() { return workers_data_.front()->gradients; }

 private:
  struct Worker {
    explicit Worker(const Parameters& parameters) : gradients(parameters) {}
    Context context;
    Gradients gradients;
    float loss = 0.0f;
    double squares = 0.0;
  };
  Var begin(Worker& worker, const Loss& loss, int number) const;
  double sum_gradients();
  void check_loss(float loss) const;
  void check_gradients(double norm, const Loss& loss);

  Parameters& parameters_;
  Optimizer& optimizer_;
  Workers& workers_;
  StepOptions options_;
  Index steps_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_data_;
};

// Deals sequences to workers: part w is sequences [bounds[w], bounds[w + 1]). Contiguous, and so
// that the largest part is as small as that allows, where a sequence of n rows costs n · (1 + n /
// 1024).
std::vector<Index> deal(std::span<const Index> lengths, int parts);

}  // namespace heed
