#include "heed/base/lazy_lists.h"

#include <gtest/gtest.h>

#include <atomic>

#include "heed/base/workers.h"

namespace heed {
namespace {

TEST(LazyLists, MakesAListOnce) {
  const LazyLists lists(3);
  int made = 0;
  const auto make = [&](std::vector<std::int32_t>& list) {
    ++made;
    list = {4, 5};
  };
  for (int i = 0; i < 3; ++i) {
    const std::span<const std::int32_t> list = lists.get(1, make);
    EXPECT_EQ(std::vector<std::int32_t>(list.begin(), list.end()),
              (std::vector<std::int32_t>{4, 5}));
  }
  EXPECT_EQ(made, 1);
}

TEST(LazyLists, AnyNumberOfThreadsGetTheSameList) {
  constexpr std::size_t kLists = 2000;
  const LazyLists lists(kLists);
  std::atomic<int> wrong = 0;
  Workers(4).run([&](int) {
    for (std::size_t i = 0; i < kLists; ++i) {
      const auto number = static_cast<std::int32_t>(i);
      const auto list =
          lists.get(i, [&](std::vector<std::int32_t>& to) { to.assign(i % 7, number); });
      if (list.size() != i % 7 || (!list.empty() && list.back() != number)) ++wrong;
      if (list.data() != lists.get(i, [&](std::vector<std::int32_t>&) { ++wrong; }).data()) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace heed
