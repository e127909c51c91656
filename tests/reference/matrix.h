#pragma once

#include <cstddef>
#include <vector>

#include "tests/reference/dual.h"

namespace heed::reference {

// Slow and obvious: the judge of the fast kernels. T is double or Dual.
template <typename T>
struct Matrix {
  int rows = 0, columns = 0;
  std::vector<T> values;

  Matrix() = default;
  Matrix(int row_count, int column_count)
      : rows(row_count),
        columns(column_count),
        values(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(column_count)) {}
  Matrix(int row_count, int column_count, std::vector<T> numbers)
      : rows(row_count), columns(column_count), values(std::move(numbers)) {}

  T& operator()(int row, int column) {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(column)];
  }
  const T& operator()(int row, int column) const {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(column)];
  }
};

// x W,  (m, k) · (k, n)
template <typename T>
Matrix<T> product(const Matrix<T>& x, const Matrix<T>& w) {
  Matrix<T> y(x.rows, w.columns);
  for (int i = 0; i < x.rows; ++i) {
    for (int j = 0; j < w.columns; ++j) {
      for (int k = 0; k < x.columns; ++k) y(i, j) += x(i, k) * w(k, j);
    }
  }
  return y;
}

template <typename T>
Matrix<T> transposed(const Matrix<T>& x) {
  Matrix<T> y(x.columns, x.rows);
  for (int i = 0; i < x.rows; ++i) {
    for (int j = 0; j < x.columns; ++j) y(j, i) = x(i, j);
  }
  return y;
}

// x Wᵀ + b, W (out, in); b may be empty.
template <typename T>
Matrix<T> linear(const Matrix<T>& x, const Matrix<T>& w, const std::vector<T>& b) {
  Matrix<T> y = product(x, transposed(w));
  for (int i = 0; i < y.rows; ++i) {
    for (int j = 0; j < y.columns && !b.empty(); ++j) y(i, j) += b[static_cast<std::size_t>(j)];
  }
  return y;
}

template <typename T>
std::vector<T> softmax(const std::vector<T>& x) {
  using std::exp;
  double largest = -1e300;
  for (const T& value : x) largest = std::max(largest, value_of(value));
  T sum = 0.0;
  std::vector<T> y;
  for (const T& value : x) {
    y.push_back(exp(value - T(largest)));
    sum += y.back();
  }
  for (T& value : y) value /= sum;
  return y;
}

template <typename T>
T log_sum_exp(const std::vector<T>& x) {
  using std::exp;
  using std::log;
  double largest = -1e300;
  for (const T& value : x) largest = std::max(largest, value_of(value));
  T sum = 0.0;
  for (const T& value : x) sum += exp(value - T(largest));
  return log(sum) + T(largest);
}

template <typename T>
T sigmoid(const T& x) {
  using std::exp;
  return T(1.0) / (T(1.0) + exp(-x));
}

}  // namespace heed::reference
