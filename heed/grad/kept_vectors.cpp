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

void KeptVectors::keep(Index index, std::span<const std::int32_t> made_of,
                       std::span<const float> vector) {
  if (index >= kMost) return;
  if (entries_.empty()) entries_.resize(kMost);
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  bytes_ -=
      entry.made_of.capacity() * sizeof(std::int32_t) + entry.vector.capacity() * sizeof(float);
  entry.made_of.assign(made_of.begin(), made_of.end());
  entry.vector.assign(vector.begin(), vector.end());
  bytes_ +=
      entry.made_of.capacity() * sizeof(std::int32_t) + entry.vector.capacity() * sizeof(float);
}

}  // namespace heed
