#pragma once

#include "heed/tensor/shape.h"

namespace heed::kernel {

// A row-major matrix in memory: `stride` floats from one row to the next.
struct Matrix {
  float* data;
  Index rows, columns;
  Index stride;

  Matrix(float* first, Index row_count, Index column_count)
      : Matrix(first, row_count, column_count, column_count) {}
  Matrix(float* first, Index row_count, Index column_count, Index row_stride)
      : data(first), rows(row_count), columns(column_count), stride(row_stride) {}
};

enum class Store { kOverwrite, kAdd };

// The three dense products of a linear layer, on one thread. Every large product of heed passes
// through here, so this is where bf16 will come in.
//
//   product           c (m, n) = a (m, k) · b (k, n)
//   product_transposed_right  c (m, n) = a (m, k) · bᵀ, b stored (n, k)
//   product_transposed_left   c (m, n) = aᵀ · b (k, n), a stored (k, m)
void product(const Matrix& a, const Matrix& b, const Matrix& c, Store store);
void product_transposed_right(const Matrix& a, const Matrix& b, const Matrix& c, Store store);
void product_transposed_left(const Matrix& a, const Matrix& b, const Matrix& c, Store store);

// oneDNN and libxsmm compile their kernels when they are first used, and crash where there is no
// memory for that. Where memory is limited (ulimit -v), this compiles them at the beginning, in 30
// ms; without room for them it is an IoError. Elsewhere it does nothing.
void prepare_products();

// A small product whose operands fit into the first caches, prepared once for its shape and strides
// and then applied many times:  c (rows, columns) = a (rows, inner) · b (inner, columns), or with
// `transpose_left` a stored (inner, rows).
struct TileShape {
  Index rows, columns, inner;
  Index a_stride, b_stride, c_stride;
  bool transpose_left = false;
  Store store = Store::kOverwrite;
};

class TileProduct {
 public:
  explicit TileProduct(const TileShape& shape);
  void operator()(const float* a, const float* b, float* c) const;

 private:
  using Function = void (*)(const float*, const float*, float*, ...);
  TileShape shape_;
  Function function_;
};

}  // namespace heed::kernel
