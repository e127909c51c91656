#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/shape.h"

namespace heed {

// One step of a model and what it does to one example.
struct PlanStep {
  std::string layer = {};   // "layer 1"; empty outside of a stack
  std::string name = {};    // "attention"
  Shape in = {}, out = {};  // in has no sizes where the record itself comes in
  Index parameters = 0;     // that were learned, or frozen
  double flops = 0.0;       // 2 m n k for each product (m, k) · (k, n), the forward pass alone
  std::string note = {};    // "4 heads × 32, scaled-dot, residual"
};

// The steps of one network, in the order in which an example passes them: what goes out of one
// comes into the next. Each part of a model appends its own.
class Plan {
 public:
  // `rows` is the length of the example.
  explicit Plan(Index rows) : rows_(rows) {}

  Index rows() const { return rows_; }
  const Shape& shape() const { return shape_; }

  // What a step has besides its name and the shape that goes out of it.
  struct Details {
    std::string scope = {};  // the names of its parameters begin with this, below the part's own
    double flops = 0.0;
    std::string note = {};
  };
  void add(std::string name, const Shape& out, Details details);
  // The parameters of the steps that follow are below this name, such as "body".
  void set_part(std::string part) { part_ = std::move(part); }
  // The steps that follow belong to this layer of a stack.
  void set_layer(std::string layer) { layer_ = std::move(layer); }

  // The step that a parameter belongs to: the one with the longest scope that begins its name.
  PlanStep& owner(std::string_view parameter);
  std::vector<PlanStep>& steps() { return steps_; }

 private:
  Index rows_;
  std::string part_, layer_;
  Shape shape_;
  std::vector<PlanStep> steps_;
  std::vector<std::string> scopes_;
};

}  // namespace heed
