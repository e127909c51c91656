#include "heed/train/step.h"

#include <algorithm>
#include <cmath>

#include "heed/kernel/rows.h"

namespace heed {

TrainingStep::TrainingStep(Parameters& parameters, Optimizer& optimizer, Workers& workers,
                           const StepOptions& options)
    : parameters_(parameters), optimizer_(optimizer), workers_(workers), options_(options) {
  for (int worker = 0; worker < workers.count(); ++worker) {
    workers_data_.push_back(std::make_unique<Worker>(parameters));
  }
}

StepResult TrainingStep::operator()(const Loss& loss, float rate) {
  workers_.run([&](int number) {
    Worker& worker = *workers_data_[static_cast<std::size_t>(number)];
    worker.loss = 0.0f;
    const Var result = begin(worker, loss, number);
    if (result.value.data == nullptr) return;
    if (result.value.count() != 1) {
      fail<ShapeError>("training step", "expected a loss of one number, got {}",
                       result.shape().text());
    }
    worker.loss = result.value[0];
    if (std::isfinite(worker.loss)) worker.context.tape().backward(result);
  });
  StepResult result;
  for (const auto& worker : workers_data_) result.loss += worker->loss;
  check_loss(result.loss);
  result.gradient_norm = sum_gradients();
  check_gradients(result.gradient_norm, loss);

  Optimizer::Step step{rate};
  if (options_.clip > 0.0f && result.gradient_norm > options_.clip) {
    step.gradient_scale = static_cast<float>(options_.clip / (result.gradient_norm + 1e-6));
  }
  optimizer_.begin(step, gradients());
  workers_.run([&](int worker) { optimizer_.update(gradients(), worker, workers_.count()); });
  ++steps_;
  return result;
}

// The forward pass of one worker.
Var TrainingStep::begin(Worker& worker, const Loss& loss, int number) const {
  worker.gradients.clear();
  worker.context.begin(Mode::kTrain, &worker.gradients,
                       {options_.seed, static_cast<std::uint64_t>(steps_)});
  return loss(worker.context, number);
}

// Into the first worker's buffer, in the order of the workers; returns the norm of the sum.
double TrainingStep::sum_gradients() {
  Gradients& sum = gradients();
  for (std::size_t other = 1; other < workers_data_.size(); ++other) {
    sum.absorb_sparse(workers_data_[other]->gradients);
  }
  const Index size = parameters_.flat_size();
  const int parts = workers_.count();
  workers_.run([&](int number) {
    // A few thousand numbers at a time, so that they are still in the cache when they are squared.
    constexpr Index kBlock = 1 << 14;
    double squares = 0.0;
    const Index end = size * (number + 1) / parts;
    for (Index begin = size * number / parts; begin < end; begin += kBlock) {
      const Index last = std::min(begin + kBlock, end);
      for (std::size_t other = 1; other < workers_data_.size(); ++other) {
        sum.add_dense(workers_data_[other]->gradients, begin, last);
      }
      squares += sum.sum_of_squares(begin, last);
    }
    workers_data_[static_cast<std::size_t>(number)]->squares = squares;
  });
  double squares = sum.sparse_sum_of_squares();
  for (const auto& worker : workers_data_) squares += worker->squares;
  return std::sqrt(squares);
}

void TrainingStep::check_loss(float loss) const {
  if (std::isfinite(loss)) return;
  for (const auto& worker : workers_data_) {
    const std::string where = worker->context.tape().first_non_finite_value();
    if (where.empty()) continue;
    fail<NumericError>("training",
                       "step {}: the loss is {}; the first result that is not finite "
                       "came from {}",
                       steps_, loss, where);
  }
  fail<NumericError>("training", "step {}: the loss is {}", steps_, loss);
}

// A step that went wrong is gone through once more, each worker's part by itself and watched: it
// draws the same random numbers and goes wrong in the same place.
void TrainingStep::check_gradients(double norm, const Loss& loss) {
  if (std::isfinite(norm)) return;
  for (int number = 0; number < workers_.count(); ++number) {
    Worker& worker = *workers_data_[static_cast<std::size_t>(number)];
    const Var result = begin(worker, loss, number);
    if (result.value.data == nullptr) continue;
    const std::string where = worker.context.tape().backward_watched(result);
    if (where.empty()) continue;
    fail<NumericError>("training", "step {}: the gradients are not finite; the first came from {}",
                       steps_, where);
  }
  fail<NumericError>("training", "step {}: the gradients are not finite", steps_);
}

std::vector<Index> deal(std::span<const Index> lengths, int parts) {
  const auto cost = [](Index length) {
    const auto n = static_cast<double>(length);
    return n * (1.0 + n / 1024.0);
  };
  double total = 0.0;
  for (const Index length : lengths) total += cost(length);
  std::vector<Index> bounds = {0};
  double done = 0.0;
  Index next = 0;
  const auto count = static_cast<Index>(lengths.size());
  for (int part = 1; part <= parts; ++part) {
    const double goal = total * part / parts;
    while (next < count) {
      const double more = cost(lengths[static_cast<std::size_t>(next)]);
      // The sequence that crosses the boundary goes to the side where most of it lies.
      if (part < parts && done + more / 2.0 > goal) break;
      done += more;
      ++next;
    }
    bounds.push_back(next);
  }
  return bounds;
}

}  // namespace heed
