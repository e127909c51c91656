#pragma once

#include <vector>

#include "heed/grad/context.h"

namespace heed::grad {

enum class Direction {
  kForward,  // from each sequence's first row to its last
  kReverse,  // from its last to its first
};

// Weights as PyTorch has them, gates below one another: rnn 1, lstm 4 (i, f, g, o), gru 3 (r, z,
// n).
struct RecurrentWeights {
  Var input;        // (gates · hidden, in)
  Var hidden;       // (gates · hidden, hidden)
  Var input_bias;   // (gates · hidden)
  Var hidden_bias;  // (gates · hidden)
};

// The states behind the last rows of sequences that will go on, (sequences, hidden); the cells are
// those of an LSTM. Empty: zeros. For evaluation: nothing is differentiated through them.
struct RecurrentState {
  std::vector<float> hidden, cells;
};

// A recurrent layer over whole sequences, one direction: x (rows, in) → the state after each row,
// (rows, hidden), beside the row that it has just read. Every sequence begins from zeros, or, where
// there is a `state`, from its row of that, which then becomes the state behind its last row.
//
// What the rows contribute is one product over the whole batch; then time runs over all sequences
// at once, and a step is one product over those that are still alive. Nothing is padded.

// h = tanh(W_ih x + b_ih + W_hh h' + b_hh), h' the state before (Elman 1990)
Var rnn(Context& context, const Sequences& x, const RecurrentWeights& weights, Direction direction,
        RecurrentState* state = nullptr);

// i, f, o = sigmoid(…)     g = tanh(…)     c = f c' + i g     h = o tanh(c)
// (Hochreiter & Schmidhuber 1997, with forget gates)
Var lstm(Context& context, const Sequences& x, const RecurrentWeights& weights, Direction direction,
         RecurrentState* state = nullptr);

// r, z = sigmoid(…)     n = tanh(W_in x + b_in + r (W_hn h' + b_hn))     h = (1 − z) n + z h'
// (Cho et al. 2014, the reset gate after the product as cuDNN and PyTorch have it)
Var gru(Context& context, const Sequences& x, const RecurrentWeights& weights, Direction direction,
        RecurrentState* state = nullptr);

}  // namespace heed::grad
