#include "heed/grad/tape.h"

#include <algorithm>
#include <atomic>

#include "heed/kernel/rows.h"

namespace heed {

void Tape::start(Gradients* gradients) {
  static std::atomic<std::uint32_t> passes{0};
  pass_ = passes.fetch_add(1, std::memory_order_relaxed) + 1;
  nodes_.clear();
  gradients_ = gradients;
  went_back_ = false;
  watched_ = false;
}

Var Tape::push(const Node& node, bool differentiable) {
  nodes_.push_back(node);
  return {node.value, differentiable ? static_cast<std::int32_t>(nodes_.size()) - 1 : -1, pass_};
}

bool Tape::operations_check_inputs() {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

void Tape::check_pass(const char* operation, const Var& var) const {
  if (!var.differentiable() || var.pass == pass_) return;
  fail<UsageError>(operation,
                   "a value of {} is from an earlier pass or another tape; compute it again in "
                   "this pass, or give it as a constant",
                   var.shape().text());
}

Var Tape::variable(const Tensor& value) {
  if (!recording()) return {value, -1};
  return push({"variable", value}, true);
}

Var Tape::parameters(const Parameter& first, Index count, const Shape& shape) {
  const Tensor value{first.value.data, shape};
  if (!recording() || first.rule.frozen) return {value, -1};
  if (first.rule.sparse) {
    fail<UsageError>("parameter",
                     "{} has a sparse gradient, which only looking its rows up (embedding) gives; "
                     "make it dense or freeze it",
                     first.name);
  }
  Node node{"parameter", value};
  node.parameter = &first;
  node.parameters = count;
  return push(node, true);
}

Var Tape::sparse(const Parameter& parameter) {
  if (!recording()) return {parameter.value, -1};
  Node node{"parameter", parameter.value};
  node.parameter = &parameter;
  node.parameters = 1;
  return push(node, true);
}

Slot Tape::slot(const Var& var) {
  if (!var.differentiable()) return {};
  if (watched_) touched_.push_back(var.node);
  Node& node = nodes_[static_cast<std::size_t>(var.node)];
  if (node.parameter != nullptr) return gradients_->slot(*node.parameter, node.parameters);
  if (node.gradient.data != nullptr) return {node.gradient.data, kernel::Store::kAdd};
  node.gradient = arena_.tensor(node.value.shape);
  return {node.gradient.data, kernel::Store::kOverwrite};
}

void Tape::give(const Var& var, const Tensor& dy) {
  if (!var.differentiable()) return;
  Node& node = nodes_[static_cast<std::size_t>(var.node)];
  if (node.parameter == nullptr && node.gradient.data == nullptr) {
    if (watched_) touched_.push_back(var.node);
    node.gradient = {dy.data, node.value.shape};
    return;
  }
  const Slot to = slot(var);
  kernel::scale(dy.count(), 1.0f, dy.data, to.data, to.store);
}

SparseRows& Tape::sparse_rows(const Var& var) {
  if (watched_) touched_.push_back(var.node);
  return gradients_->sparse(*nodes_[static_cast<std::size_t>(var.node)].parameter);
}

Tensor Tape::gradient(const Var& var) {
  if (!var.differentiable()) fail<UsageError>("gradient", "asked for the gradient of a constant");
  check_pass("gradient", var);
  Node& node = nodes_[static_cast<std::size_t>(var.node)];
  if (node.parameter != nullptr) {
    return {gradients_->slot(*node.parameter, node.parameters).adding(node.value.count()),
            node.value.shape};
  }
  if (node.gradient.data == nullptr) node.gradient = arena_.zeros(node.value.shape);
  return node.gradient;
}

Tensor Tape::one(const Var& value) {
  if (value.value.count() != 1) {
    fail<ShapeError>("backward", "expected a single number to begin from, got {}; pass a gradient",
                     value.shape().text());
  }
  const Tensor gradient = arena_.tensor(value.shape());
  gradient[0] = 1.0f;
  return gradient;
}

void Tape::backward(const Var& value) { backward(value, one(value)); }

void Tape::backward(const Var& value, const Tensor& gradient) {
  if (!begin_backward(value, gradient)) return;
  for (auto i = static_cast<std::size_t>(value.node) + 1; i-- > 0;) run_backward(i);
}

std::string Tape::backward_watched(const Var& value) { return backward_watched(value, one(value)); }

std::string Tape::backward_watched(const Var& value, const Tensor& gradient) {
  if (!begin_backward(value, gradient)) return {};
  if (!kernel::all_finite(gradient.count(), gradient.data)) return "what was sent back at first";
  watched_ = true;
  for (auto i = static_cast<std::size_t>(value.node) + 1; i-- > 0;) {
    touched_.clear();
    run_backward(i);
    for (const std::int32_t node : touched_) {
      if (!gradient_is_finite(nodes_[static_cast<std::size_t>(node)])) return name(i);
    }
  }
  return {};
}

// Whether there is anything to send back.
bool Tape::begin_backward(const Var& value, const Tensor& gradient) {
  if (!recording()) {
    fail<UsageError>("backward", "nothing was recorded: the context is for evaluation");
  }
  if (gradient.shape != value.shape()) {
    fail<ShapeError>("backward", "expected a gradient of {}, got {}", value.shape().text(),
                     gradient.shape.text());
  }
  if (!value.differentiable()) return false;
  check_pass("backward", value);
  if (went_back_) {
    fail<UsageError>("backward", "gradients were sent back already: add the values up and go once");
  }
  went_back_ = true;
  const Slot seed = slot(value);
  kernel::scale(gradient.count(), 1.0f, gradient.data, seed.data, seed.store);
  return true;
}

void Tape::run_backward(std::size_t place) {
  // By value: an operation may not add nodes, but this keeps it safe from its own slots.
  const Node node = nodes_[place];
  if (node.backward == nullptr || node.gradient.data == nullptr) return;
  node.backward(node.closure, *this, node.gradient);
}

std::string Tape::name(std::size_t node) const {
  const Node& named = nodes_[node];
  std::string what = named.operation.text();
  if (named.parameter != nullptr) what += " " + named.parameter->name;
  return fmt::format("{}, operation {} of the step, {}", what, node + 1, named.value.shape.text());
}

std::string Tape::first_non_finite_value() const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!kernel::all_finite(nodes_[i].value.count(), nodes_[i].value.data)) return name(i);
  }
  return {};
}

bool Tape::gradient_is_finite(const Node& node) const {
  if (node.parameter == nullptr) {
    return node.gradient.data == nullptr ||
           kernel::all_finite(node.gradient.count(), node.gradient.data);
  }
  if (!gradients_->touched(*node.parameter)) return true;
  if (node.parameter->rule.sparse) return gradients_->sparse(*node.parameter).all_finite();
  const Slot slot = gradients_->slot(*node.parameter, node.parameters);
  return kernel::all_finite(node.value.count(), slot.data);
}

}  // namespace heed
