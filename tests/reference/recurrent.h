#pragma once

#include <string>
#include <vector>

#include "tests/reference/matrix.h"

namespace heed::reference {

// The four weights of a recurrent layer, gates below one another.
template <typename T>
struct RecurrentWeights {
  Matrix<T> input, hidden;
  std::vector<T> input_bias, hidden_bias;
};

// One step of a cell on one vector: x and h are read, h (and, for an LSTM, c) written. Before the
// first step h and c are empty: there is no state yet, and nothing is multiplied with it.
template <typename T>
void cell(const std::string& kind, const RecurrentWeights<T>& w, const std::vector<T>& x,
          std::vector<T>& h, std::vector<T>& c) {
  using std::tanh;
  const int hidden = w.hidden.columns;
  const auto from_x = [&](int gate, int k) {
    T sum = w.input_bias[static_cast<std::size_t>(gate * hidden + k)];
    for (int j = 0; j < w.input.columns; ++j) {
      sum += w.input(gate * hidden + k, j) * x[static_cast<std::size_t>(j)];
    }
    return sum;
  };
  const std::vector<T> before = h;
  h.resize(static_cast<std::size_t>(hidden), T(0.0));
  c.resize(static_cast<std::size_t>(hidden), T(0.0));
  const auto from_h = [&](int gate, int k) {
    T sum = w.hidden_bias[static_cast<std::size_t>(gate * hidden + k)];
    for (int j = 0; j < static_cast<int>(before.size()); ++j) {
      sum += w.hidden(gate * hidden + k, j) * before[static_cast<std::size_t>(j)];
    }
    return sum;
  };
  for (int k = 0; k < hidden; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (kind == "rnn") {
      h[at] = tanh(from_x(0, k) + from_h(0, k));
    } else if (kind == "lstm") {
      const T i = sigmoid(from_x(0, k) + from_h(0, k));
      const T f = sigmoid(from_x(1, k) + from_h(1, k));
      const T g = tanh(from_x(2, k) + from_h(2, k));
      const T o = sigmoid(from_x(3, k) + from_h(3, k));
      c[at] = f * c[at] + i * g;
      h[at] = o * tanh(c[at]);
    } else {
      const T r = sigmoid(from_x(0, k) + from_h(0, k));
      const T z = sigmoid(from_x(1, k) + from_h(1, k));
      const T n = tanh(from_x(2, k) + r * from_h(2, k));
      h[at] = (T(1.0) - z) * n + (before.empty() ? T(0.0) : z * before[at]);
    }
  }
}

// One sequence after another, one row after another.
template <typename T>
Matrix<T> recurrent(const std::string& kind, const Matrix<T>& x, const std::vector<int>& lengths,
                    const RecurrentWeights<T>& w, bool reverse) {
  const auto hidden = static_cast<std::size_t>(w.hidden.columns);
  Matrix<T> y(x.rows, w.hidden.columns);
  int begin = 0;
  for (const int length : lengths) {
    std::vector<T> h, c;
    for (int t = 0; t < length; ++t) {
      const int row = reverse ? begin + length - 1 - t : begin + t;
      std::vector<T> x_row;
      for (int j = 0; j < x.columns; ++j) x_row.push_back(x(row, j));
      cell(kind, w, x_row, h, c);
      for (std::size_t k = 0; k < hidden; ++k) y(row, static_cast<int>(k)) = h[k];
    }
    begin += length;
  }
  return y;
}

// h = f h' + (1 − f) z over the rows of each sequence that are not hidden, z = tanh(a),
// f = sigmoid(b), x = [a b]; the first half of the columns forwards, the rest backwards.
template <typename T>
Matrix<T> moving_average(const Matrix<T>& x, const std::vector<int>& lengths,
                         const std::vector<bool>& hidden) {
  using std::tanh;
  const int width = x.columns / 2, forwards = width - width / 2;
  Matrix<T> y(x.rows, width);
  for (int k = 0; k < width; ++k) {
    int begin = 0;
    for (const int length : lengths) {
      T h(0.0);
      for (int t = 0; t < length; ++t) {
        const int row = k < forwards ? begin + t : begin + length - 1 - t;
        if (!hidden.empty() && hidden[static_cast<std::size_t>(row)]) continue;
        const T f = sigmoid(x(row, width + k));
        h = f * h + (T(1.0) - f) * tanh(x(row, k));
        y(row, k) = h;
      }
      begin += length;
    }
  }
  return y;
}

}  // namespace heed::reference
