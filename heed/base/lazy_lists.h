#pragma once

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
      : size_(size), lists_(std::make_unique<std::atomic<const List*>[]>(size)) {}
  ~LazyLists() {
    for (std::size_t i = 0; i < size_; ++i) delete lists_[i].load();
  }
  LazyLists(const LazyLists&) = delete;
  LazyLists& operator=(const LazyLists&) = delete;

  std::size_t size() const { return size_; }

  // make(std::vector<std::int32_t>&) appends the numbers of list i, the same each time.
  template <typename Make>
  std::span<const std::int32_t> get(std::size_t i, const Make& make) const {
    const List* list = lists_[i].load(std::memory_order_acquire);
    if (list == nullptr) {
      auto made = std::make_unique<List>();
      make(*made);
      if (lists_[i].compare_exchange_strong(list, made.get(), std::memory_order_acq_rel)) {
        list = made.release();
      }
    }
    return *list;
  }

 private:
  using List = std::vector<std::int32_t>;
  std::size_t size_ = 0;
  std::unique_ptr<std::atomic<const List*>[]> lists_;
};

}  // namespace heed
