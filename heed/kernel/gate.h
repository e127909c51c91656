#pragma once

#include "heed/kernel/matmul.h"

namespace heed::kernel {

// Numbers that let others pass or not: one time step of recurrent cells, and the gated linear unit.
// All on rows that lie one after another, PyTorch's formulas and order of gates.

// One time step for `rows` sequences at once; a gate is `hidden` columns.
struct CellStep {
  Index rows, hidden;
  const float* bias;      // (gates · hidden), of input and recurrence together
  const float* previous;  // (rows, hidden), the state before; null at the first step
};

// h = tanh(a + bias), in place on a (rows, hidden).
void rnn_forward(const CellStep& step, float* h);
// da = dh (1 − h²), in place on dh.
void rnn_backward(const CellStep& step, const float* h, float* dh);

// `gates` (rows, 4 · hidden) comes as a = x W_ihᵀ + h W_hhᵀ and leaves as i, f, g, o:
//   i, f, o = sigmoid(a + bias)     g = tanh(a + bias)     c = f previous + i g     h = o tanh(c)
// `previous` is the cell's state c, not h.
void lstm_forward(const CellStep& step, float* gates, float* c, float* h);
// `gates` becomes the gradient of a; `dc` (rows, hidden) comes as what later steps want of c and
// leaves as what this step wants of the one before. `bias` is not looked at.
void lstm_backward(const CellStep& step, float* gates, const float* c, const float* dh, float* dc);

// `gates` (rows, 3 · hidden) comes as x W_ihᵀ and leaves as r, z, n; `recurrent` (rows, 3 · hidden)
// is h W_hhᵀ, null at the first step; `bias` is (2, 3 · hidden), of the input and of the
// recurrence:
//   r, z = sigmoid(both sums)     q = recurrent_n + bias_n     n = tanh(gates_n + bias_n + r q)
//   h = (1 − z) n + z previous
void gru_forward(const CellStep& step, const float* recurrent, float* gates, float* q, float* h);
// `gates` becomes the gradient of x W_ihᵀ, `drecurrent` that of h W_hhᵀ; what passes straight to
// the state before is added to `dprevious`, unless that is null.
void gru_backward(const CellStep& step, float* gates, const float* q, const float* dh,
                  float* drecurrent, float* dprevious);

// One row of an exponential moving average with a gate that decides how much of it stays.
struct AverageRow {
  Index columns;
  Index gate;             // the gate's numbers lie so far behind those of the candidate
  const float* previous;  // the average of the row before; null at the first
};
// `a` has the candidate's numbers and, `gate` behind them, b; `values` gets z and f, laid out
// alike:
//   z = tanh(a)     f = sigmoid(b)     h = f previous + (1 − f) z
void average_forward(const AverageRow& row, const float* a, float* values, float* h);
// `dlater` comes as what later rows want of h and leaves as what this row wants of the one before.
//   d = dh + dlater     da = d (1 − f) (1 − z²)     db = d (previous − z) f (1 − f)
//   dlater = d f
void average_backward(const AverageRow& row, const float* values, const float* dh, float* dlater,
                      float* da, Store store);

// y = a ⊙ sigmoid(b):  x (rows, 2 · columns) = [a b] → y (rows, columns)
void glu_forward(Index rows, Index columns, const float* x, float* y);
void glu_backward(Index rows, Index columns, const float* x, const float* dy, float* dx,
                  Store store);

}  // namespace heed::kernel
