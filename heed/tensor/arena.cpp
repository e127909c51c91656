#include "heed/tensor/arena.h"

#include <algorithm>
#include <cstring>

namespace heed {

void* Arena::allocate(std::size_t bytes) {
  bytes = round_up(std::max<std::size_t>(bytes, 1), kAlignment);
  while (current_ < blocks_.size()) {
    Buffer& block = blocks_[current_];
    if (used_ + bytes <= block.bytes()) {
      void* result = block.data() + used_;
      used_ += bytes;
      return result;
    }
    ++current_;
    used_ = 0;
  }
  blocks_.emplace_back(std::max(bytes, next_block_));
  next_block_ = std::max(next_block_, std::min(capacity(), std::size_t{256} << 20));
  current_ = blocks_.size() - 1;
  used_ = bytes;
  return blocks_.back().data();
}

Tensor Arena::zeros(const Shape& shape) {
  const Tensor result = tensor(shape);
  std::fill_n(result.data, result.count(), 0.0f);
  return result;
}

Tensor Arena::copy(const Tensor& source) {
  const Tensor result = tensor(source.shape);
  std::copy_n(source.data, source.count(), result.data);
  return result;
}

void Arena::reset() {
  if (blocks_.size() > 1) {
    const std::size_t total = capacity();
    blocks_.clear();
    blocks_.emplace_back(total);
  }
  current_ = 0;
  used_ = 0;
}

std::size_t Arena::capacity() const {
  std::size_t total = 0;
  for (const Buffer& block : blocks_) total += block.bytes();
  return total;
}

void* Arena::allocate_array(Index count, std::size_t size) {
  const Index most = (Index{1} << 60) / static_cast<Index>(size);
  if (count < 0 || count > most) {
    fail<ShapeError>("arena", "expected a count from 0 to {}, got {}", most, count);
  }
  return allocate(static_cast<std::size_t>(count) * size);
}

}  // namespace heed
