#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "heed/base/buffer.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Memory for one step: allocate by moving a pointer, free everything at once with reset().
//
// After the first step the arena has become one block that is large enough, and a step allocates
// nothing from the heap. Nothing that lives here is destroyed, so only trivially destructible
// things may. One arena belongs to one worker; it is not thread-safe.
class Arena {
 public:
  explicit Arena(std::size_t first_block = std::size_t{1} << 20) : next_block_(first_block) {}

  void* allocate(std::size_t bytes);

  template <typename T>
  std::span<T> array(Index count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(allocate_array(count, sizeof(T))), static_cast<std::size_t>(count)};
  }

  // Numbers are not initialised.
  Tensor tensor(const Shape& shape) { return {array<float>(shape.count()).data(), shape}; }
  Tensor zeros(const Shape& shape);
  Tensor copy(const Tensor& source);
  // For what the tape needs after the caller's own is gone.
  template <typename T>
  std::span<T> copy(std::span<const T> source) {
    const auto result = array<T>(static_cast<Index>(source.size()));
    std::copy(source.begin(), source.end(), result.begin());
    return result;
  }

  // Everything allocated so far becomes invalid.
  void reset();

  // Scratch: whatever is allocated during the life of a Scope is given back at its end.
  class Scope {
   public:
    explicit Scope(Arena& arena) : arena_(arena), block_(arena.current_), used_(arena.used_) {}
    ~Scope() {
      arena_.current_ = block_;
      arena_.used_ = used_;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Arena& arena_;
    std::size_t block_, used_;
  };

  std::size_t capacity() const;

 private:
  // A count that cannot be is a ShapeError.
  void* allocate_array(Index count, std::size_t size);

  std::vector<Buffer> blocks_;
  std::size_t current_ = 0;  // the block that allocations come from
  std::size_t used_ = 0;     // bytes of it that are taken
  std::size_t next_block_;
};

}  // namespace heed
