#pragma once

#include <functional>
#include <map>
#include <utility>

#include "heed/kernel/packed.h"
#include "heed/tensor/arena.h"

namespace heed {

// Weights laid out for many products with few rows each: for whoever runs the same layers again and
// again, as decoding does (Context::packed). Weights that change must be cleared.
class PackedWeights {
 public:
  // With fewer rows a weight is not packed: where it is used for a moment only, as in a search,
  // that would be over before the packing has paid.
  explicit PackedWeights(Index fewest_rows = 16) : fewest_rows_(fewest_rows) {}

  // Forgets all of them, and keeps the memory.
  void clear() {
    packed_.clear();
    arena_.reset();
  }
  std::size_t memory() const { return arena_.capacity(); }
  // The weight (out, in) for a product with so many rows; null where it is not worth while. Where
  // it is to be packed, as_matrix() gives it in its order for products.
  using AsMatrix = std::function<kernel::Matrix()>;
  const kernel::PackedWeight* find(const Tensor& weight, Index rows, const AsMatrix& as_matrix);

 private:
  Index fewest_rows_;
  // By place and number of rows: of stacked layers, some are used together and alone.
  std::map<std::pair<const float*, Index>, kernel::PackedWeight> packed_;
  Arena arena_;
};

}  // namespace heed
