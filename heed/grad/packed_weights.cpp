#include "heed/grad/packed_weights.h"

namespace heed {
const kernel::PackedWeight* PackedWeights::find(const Tensor& weight, Index rows,
                                                const AsMatrix& as_matrix) {
  if (!kernel::PackedWeight::helps()) return nullptr;
  const std::pair<const float*, Index> key(weight.data, weight.rows());
  const auto known = packed_.find(key);
  if (known != packed_.end()) return &known->second;
  if (rows < fewest_rows_) return nullptr;
  return &packed_.emplace(key, kernel::PackedWeight(as_matrix(), arena_)).first->second;
}

}  // namespace heed
