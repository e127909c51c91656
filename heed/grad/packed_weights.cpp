#include "heed/grad/packed_weights.h"

namespace heed {
namespace {

// With fewer, a search is over before the packing has paid.
constexpr Index kWorthPacking = 16;

}  // namespace

const kernel::PackedWeight* PackedWeights::find(const Tensor& weight, Index rows) {
  if (!kernel::PackedWeight::helps()) return nullptr;
  const std::pair<const float*, Index> key(weight.data, weight.rows());
  const auto known = packed_.find(key);
  if (known != packed_.end()) return &known->second;
  if (rows < kWorthPacking) return nullptr;
  const kernel::Matrix matrix(weight.data, weight.rows(), weight.columns());
  return &packed_.emplace(key, kernel::PackedWeight(matrix, arena_)).first->second;
}

}  // namespace heed
