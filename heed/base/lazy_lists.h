#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace heed {

// Lists of numbers that are made when they are first asked for, and kept. Any number of threads may
// ask; where two make the same list at once, one of the two equal lists stays.
class LazyLists {
 public:
  LazyLists() = default;
  explicit LazyLists(std::size_t size)
      : size_(size), lists_(std::make_unique<std::atomic<const std::int32_t*>[]>(size)) {}
  ~LazyLists() {
    for (std::size_t i = 0; i < size_; ++i) delete[] lists_[i].load();
  }
  LazyLists(const LazyLists&) = delete;
  LazyLists& operator=(const LazyLists&) = delete;

  std::size_t size() const { return size_; }

  // make(std::vector<std::int32_t>&) appends the numbers of list i, the same each time.
  template <typename Make>
  std::span<const std::int32_t> get(std::size_t i, const Make& make) const {
    const std::int32_t* list = lists_[i].load(std::memory_order_acquire);
    if (list == nullptr) {
      std::vector<std::int32_t> numbers;
      make(numbers);
      auto made = std::make_unique<std::int32_t[]>(numbers.size() + 1);
      made[0] = static_cast<std::int32_t>(numbers.size());
      std::copy(numbers.begin(), numbers.end(), made.get() + 1);
      if (lists_[i].compare_exchange_strong(list, made.get(), std::memory_order_acq_rel)) {
        list = made.release();
      }
    }
    return {list + 1, static_cast<std::size_t>(list[0])};
  }

 private:
  std::size_t size_ = 0;
  // Each its size, then its numbers; null: not asked for yet.
  std::unique_ptr<std::atomic<const std::int32_t*>[]> lists_;
};

}  // namespace heed
