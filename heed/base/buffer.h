#pragma once

#include <cstddef>
#include <utility>

namespace heed {

inline constexpr std::size_t kAlignment = 64;  // one cache line, one AVX-512 vector

// All memory that this process may use (available_memory), asked once.
std::size_t machine_memory();

// A block of memory of its own: zeroed, aligned to a cache line, on huge pages where it is large
// enough for that to matter. Moves, does not copy. More than machine_memory() is a std::bad_alloc,
// at once and not when it is used.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* data() const { return data_; }
  float* floats() const { return reinterpret_cast<float*>(data_); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

inline std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace heed
