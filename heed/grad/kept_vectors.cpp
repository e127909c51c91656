#include "heed/grad/kept_vectors.h"

#include <algorithm>
#include <cstring>

namespace heed {

void KeptVectors::prefetch(Index index) const {
  if (index < 0 || index >= std::ssize(entries_)) return;
  const float* block = entries_[static_cast<std::size_t>(index)].block.get();
  constexpr int kLines = 4;  // of 64 bytes; those behind them follow by themselves
  for (int line = 0; line < kLines; ++line) __builtin_prefetch(block + 16 * line);
}

const float* KeptVectors::find(Index index, std::span<const std::int32_t> made_of) const {
  if (index >= std::ssize(entries_)) return nullptr;
  const Entry& entry = entries_[static_cast<std::size_t>(index)];
  if (entry.block == nullptr || entry.numbers != made_of.size()) return nullptr;
  const bool same =
      made_of.empty() || std::memcmp(entry.block.get(), made_of.data(), made_of.size_bytes()) == 0;
  return same ? entry.block.get() + entry.numbers : nullptr;
}

bool KeptVectors::keep(Index index, std::span<const std::int32_t> made_of,
                       std::span<const float> vector) {
  if (index >= kMost) return false;
  if (entries_.empty()) entries_.resize(kMost);
  Entry& entry = entries_[static_cast<std::size_t>(index)];
  if (entry.block != nullptr) return false;
  entry.numbers = made_of.size();
  entry.block = std::make_unique<float[]>(made_of.size() + vector.size());
  if (!made_of.empty()) std::memcpy(entry.block.get(), made_of.data(), made_of.size_bytes());
  std::copy(vector.begin(), vector.end(), entry.block.get() + made_of.size());
  bytes_ += made_of.size_bytes() + vector.size_bytes();
  return true;
}

}  // namespace heed
