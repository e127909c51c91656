#include "heed/grad/kept_vectors.h"

#include <algorithm>

namespace heed {

const float* KeptVectors::find(Index index, std::span<const std::int32_t> made_of) const {
  if (index >= std::ssize(entries_)) return nullptr;
  const Entry& entry = entries_[static_cast<std::size_t>(index)];
  const bool same =
      std::equal(made_of.begin(), made_of.end(), entry.made_of.begin(), entry.made_of.end());
  return same && !entry.vector.empty() ? entry.vector.data() : nullptr;
}

bool KeptVectors::keep(Index index, std::span<const std::int32_t> made_of,
                       std::span<const float> vector) {
  if (index >= kMost) return false;
  if (entries_.empty()) entries_.resize(kMost);
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  if (!entry.vector.empty()) return false;
  entry.made_of.assign(made_of.begin(), made_of.end());
  entry.vector.assign(vector.begin(), vector.end());
  bytes_ += made_of.size_bytes() + vector.size_bytes();
  return true;
}

}  // namespace heed
