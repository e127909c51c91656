#pragma once

#include "heed/kernel/matmul.h"
#include "heed/tensor/arena.h"

namespace heed::kernel {

// The weight of a linear layer, (out, in), laid out for many products with few rows, as decoding
// has them:  y (rows, out) = x (rows, in) · Wᵀ.
//
// It lies in panels of 64 outputs, each (in, 64), which a TileProduct reads as they are. A product
// that lays out its operand each time spends as long on that as on the arithmetic where there are
// few rows: 16 rows by 8,000 × 256 take 54 GFLOP/s with sgemm and 115 so, 64 rows 93 and 112, 320
// rows 103 and 103 (Zen 4).
class PackedWeight {
 public:
  // In memory of the arena.
  PackedWeight(const Matrix& weight, Arena& arena);

  // Whether it is faster than product_transposed_right() on this machine.
  static bool helps();

  void operator()(const Matrix& x, const Matrix& y) const;

 private:
  Index out_, in_;
  float* panels_;
};

}  // namespace heed::kernel
