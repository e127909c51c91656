#include "heed/base/buffer.h"

#include <sys/mman.h>

#include <new>

#include "heed/base/machine.h"

namespace heed {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Large blocks begin on a huge page's boundary: with 4 KiB pages the matrix products that walk
// down a column spend up to a tenth of their time on TLB misses.
std::size_t alignment_for(std::size_t bytes) { return bytes >= kHugePage ? kHugePage : 4096; }

}  // namespace

std::size_t machine_memory() {
  static const std::size_t bytes = available_memory();
  return bytes;
}

Buffer::Buffer(std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes > machine_memory()) throw std::bad_alloc();
  const std::size_t alignment = alignment_for(bytes);
  bytes_ = round_up(bytes, alignment);
  const std::size_t reserved = bytes_ + alignment;
  void* start = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) {
    bytes_ = 0;
    throw std::bad_alloc();
  }
  auto* first = static_cast<std::byte*>(start);
  const auto address = reinterpret_cast<std::size_t>(first);
  data_ = first + (round_up(address, alignment) - address);
  // Give back what the alignment did not need.
  if (data_ != first) munmap(first, static_cast<std::size_t>(data_ - first));
  std::byte* end = data_ + bytes_;
  if (end != first + reserved) munmap(end, static_cast<std::size_t>(first + reserved - end));
  if (bytes_ >= kHugePage) madvise(data_, bytes_, MADV_HUGEPAGE);
}

Buffer::~Buffer() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace heed
