#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace heed {

// What runs of several variants will take, for the time left of a comparison. A variant of which
// something was trained goes on at that pace; another one is as much slower or quicker as its body
// was when that alone was measured.
class RunCosts {
 public:
  RunCosts() = default;
  // What a row takes in the body of each variant, in any unit.
  explicit RunCosts(std::vector<double> body_costs)
      : body_costs_(std::move(body_costs)), paces_(body_costs_.size(), 0.0) {}

  // A run, or a part of one, that is so much work took so many seconds.
  void learn(std::size_t variant, double work, double seconds) {
    if (work > 0.0 && seconds > 0.0) paces_[variant] = seconds / work;
  }

  // Expected of so much work; NaN while nothing was trained.
  double seconds(std::size_t variant, double work) const {
    if (paces_[variant] > 0.0) return paces_[variant] * work;
    double sum = 0.0, count = 0.0;
    for (std::size_t v = 0; v < paces_.size(); ++v) {
      if (paces_[v] == 0.0) continue;
      sum += paces_[v] / body_costs_[v];
      ++count;
    }
    if (count == 0.0) return std::numeric_limits<double>::quiet_NaN();
    return sum / count * body_costs_[variant] * work;
  }

 private:
  std::vector<double> body_costs_, paces_;  // a pace of 0: not yet known
};

}  // namespace heed
