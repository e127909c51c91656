#pragma once

#include <cstdint>
#include <initializer_list>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "heed/grad/gradients.h"
#include "heed/grad/operation_name.h"
#include "heed/tensor/arena.h"

namespace heed {

// A value that a computation made, and its place on the tape. Without a place (node −1) it is a
// constant: nothing flows back to it. One with a place is good for the pass that made it.
struct Var {
  Tensor value;
  std::int32_t node = -1;
  std::uint32_t pass = 0;  // whose node it is; in every build, so that they can be mixed

  bool differentiable() const { return node >= 0; }
  const Shape& shape() const { return value.shape; }
  Index rows() const { return value.rows(); }
  Index columns() const { return value.columns(); }
};

// The operations of one forward pass in the order in which they ran, each with a way back.
//
// Operations are few and large, and eager: a value exists as soon as the call returns. backward()
// is one loop from the last to the first. Everything a step makes lives in the arena; warm, a step
// allocates nothing from the heap. One tape belongs to one worker.
class Tape {
 public:
  Tape(Arena& arena, Arena& scratch) : arena_(arena), scratch_(scratch) {}

  // Recording needs somewhere for the gradients of parameters to go; without it, values only.
  void start(Gradients* gradients);
  bool recording() const { return gradients_ != nullptr; }

  // A value that a gradient is wanted of, read afterwards with gradient().
  Var variable(const Tensor& value);
  // `count` parameters that lie one after another, as one value of the given shape.
  Var parameters(const Parameter& first, Index count, const Shape& shape);
  // A sparse parameter: its gradient is the rows of sparse_rows(), and not a slot().
  Var sparse(const Parameter& parameter);

  // Records an operation. `backward(tape, dy)` gets the finished gradient of the value (which it
  // may overwrite) and puts its share into slot(input) for each input. It is only called when some
  // input is differentiable and a gradient arrived. Captures must be trivially destructible.
  //
  // An input of an earlier pass or of another tape would be taken for whatever has its number here.
  // Without NDEBUG it is a UsageError that names the operation.
  template <typename Backward>
  Var record(OperationName operation, const Tensor& value, std::initializer_list<Var> inputs,
             Backward backward) {
    static_assert(std::is_trivially_destructible_v<Backward>);
#ifndef NDEBUG
    for (const Var& input : inputs) check_pass(operation.text(), input);
#endif
    if (!recording()) return {value, -1};
    bool wanted = false;
    for (const Var& input : inputs) wanted = wanted || input.differentiable();
    Node node{operation, value};
    if (wanted) {
      node.closure = new (arena_.allocate(sizeof(Backward))) Backward(backward);
      node.backward = [](void* closure, Tape& tape, const Tensor& dy) {
        (*static_cast<Backward*>(closure))(tape, dy);
      };
    }
    return push(node, wanted);
  }

  // Whether the library was compiled without NDEBUG, so that its operations look at their inputs.
  static bool operations_check_inputs();

  // Sends a gradient of the value's shape (1 for a single number) back through everything, once in
  // a pass: what would be sent from two places is added up first.
  void backward(const Var& value);
  void backward(const Var& value, const Tensor& gradient);
  // The same, looking at every gradient as it is made, which takes longer: names the operation that
  // first sent NaN or infinity back, "attention, operation 4 of the step, (64, 80)". Empty where
  // all were finite.
  std::string backward_watched(const Var& value);
  std::string backward_watched(const Var& value, const Tensor& gradient);

  Slot slot(const Var& var);
  // Adds a finished gradient to that of `var`, of the same shape. Without a gradient so far, `var`
  // takes over the memory of `dy`: the operation may not read it again.
  void give(const Var& var, const Tensor& dy);
  SparseRows& sparse_rows(const Var& var);
  Gradients& gradients() { return *gradients_; }
  // Of a variable, after backward(); zeros where nothing arrived. That of a recorded value may be
  // gone: operations overwrite it or hand it on.
  Tensor gradient(const Var& var);

  Arena& arena() { return arena_; }
  // For temporary memory inside one operation: use with Arena::Scope.
  Arena& scratch() { return scratch_; }

  // Names the first operation whose result holds NaN or infinity. Empty when all are finite.
  std::string first_non_finite_value() const;

 private:
  struct Node {
    OperationName operation;
    Tensor value;
    Tensor gradient{};  // no data until the first contribution
    void (*backward)(void*, Tape&, const Tensor&) = nullptr;
    void* closure = nullptr;
    const Parameter* parameter = nullptr;  // the first of `parameters`, for a leaf
    Index parameters = 0;
  };

  Var push(const Node& node, bool differentiable);
  // What has a place, but not here, is a UsageError.
  void check_pass(const char* operation, const Var& var) const;
  std::string name(std::size_t node) const;
  Tensor one(const Var& value);
  bool begin_backward(const Var& value, const Tensor& gradient);
  void run_backward(std::size_t node);
  bool gradient_is_finite(const Node& node) const;

  Arena& arena_;
  Arena& scratch_;
  Gradients* gradients_ = nullptr;
  std::uint32_t pass_ = 0;  // a number of its own for each start() of any tape
  std::vector<Node> nodes_;
  bool went_back_ = false;
  bool watched_ = false;
  std::vector<std::int32_t> touched_;  // nodes that the operation sent something to, when watched
};

}  // namespace heed
