#pragma once

#include <span>
#include <vector>

#include "heed/grad/recurrent.h"

namespace heed::nn {

enum class RecurrentKind { kRnn, kLstm, kGru };

struct RecurrentOptions {
  RecurrentKind kind = RecurrentKind::kLstm;
  Index width = 0;   // of what comes in
  Index hidden = 0;  // of the state, in each direction
  Index layers = 1;
  bool bidirectional = false;  // a second state runs from the end; both go out side by side
  float dropout = 0.0f;        // between layers
};

// What a stack keeps between calls, where sequences go on: the state of each layer.
class RecurrentStates {
 public:
  // Keeps only these sequences, in this order, each perhaps more than once.
  void reorder(std::span<const Index> sequences);

 private:
  friend class Recurrent;
  std::vector<grad::RecurrentState> layers_;
  Index hidden_ = 0;
};

// A stack of recurrent layers.
//   (rows, width) → (rows, hidden), or (rows, 2 · hidden) with forward and backward states
//
// Parameters, for layer n and direction forward or backward, shaped as in PyTorch:
// n.forward.weight_ih (gates · hidden, in), weight_hh (gates · hidden, hidden), bias_ih, bias_hh.
// Thread-compatible: const, all scratch lives in the Context.
class Recurrent {
 public:
  Recurrent(const Scope& scope, const RecurrentOptions& options);

  Sequences operator()(Context& context, const Sequences& x) const;
  // The next rows of sequences whose earlier rows were read with the same states, for evaluation.
  // In both directions that is a UsageError.
  Sequences operator()(Context& context, const Sequences& x, RecurrentStates& states) const;

  double flops(Index rows) const;

  // Of what goes out.
  Index width() const { return options_.bidirectional ? 2 * options_.hidden : options_.hidden; }

 private:
  struct Cell {
    const Parameter *weight_ih, *weight_hh, *bias_ih, *bias_hh;
  };
  Cell make_cell(const Scope& scope, Index in) const;
  Var run(Context& context, const Sequences& x, const Cell& cell, grad::Direction direction,
          grad::RecurrentState* state) const;
  Sequences read(Context& context, const Sequences& x, RecurrentStates* states) const;

  RecurrentOptions options_;
  std::vector<Cell> forward_, backward_;  // of each layer; backward_ is empty in one direction
};

}  // namespace heed::nn
