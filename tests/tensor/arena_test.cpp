#include "heed/tensor/arena.h"

#include <gtest/gtest.h>

#include "heed/tensor/layout.h"

namespace heed {
namespace {

TEST(Arena, AllocationsAreAlignedAndDoNotOverlap) {
  Arena arena(4096);
  float* last = nullptr;
  for (Index count = 0; count < 400; ++count) {
    const Tensor tensor = arena.tensor({count});
    EXPECT_EQ(reinterpret_cast<std::size_t>(tensor.data) % kAlignment, 0u);
    std::fill_n(tensor.data, count, static_cast<float>(count));
    if (last != nullptr) {
      EXPECT_EQ(*last, static_cast<float>(count - 1));
    }
    last = count > 0 ? tensor.data + count - 1 : nullptr;
  }
}

TEST(Arena, BecomesOneBlockThatIsLargeEnough) {
  Arena arena(4096);
  const auto step = [&] {
    for (int i = 0; i < 50; ++i) arena.tensor({1000});
  };
  step();
  arena.reset();
  const std::size_t capacity = arena.capacity();
  step();
  arena.reset();
  EXPECT_EQ(arena.capacity(), capacity);
}

TEST(Arena, ACopyStaysAsItWas) {
  Arena arena;
  std::vector<std::int32_t> ids = {3, 1, 2};
  const auto copy = arena.copy(std::span<const std::int32_t>(ids));
  ids.assign({7, 8, 9});
  EXPECT_EQ(std::vector<std::int32_t>(copy.begin(), copy.end()), (std::vector{3, 1, 2}));
  EXPECT_TRUE(arena.copy(std::span<const std::int32_t>()).empty());
}

TEST(Arena, AScopeGivesItsMemoryBack) {
  Arena arena;
  float* first = nullptr;
  {
    const Arena::Scope scope(arena);
    first = arena.tensor({100}).data;
  }
  EXPECT_EQ(arena.tensor({100}).data, first);
}

TEST(Shape, RefusesWhatIsNotAShape) {
  EXPECT_THROW(Shape({1, -1}), ShapeError);
  EXPECT_THROW(Shape({1, 1, 1, 1, 1}), ShapeError);
  EXPECT_EQ(Shape({2, 0, 3}).count(), 0);
  EXPECT_EQ(Shape({2, 3}).text(), "(2, 3)");
}

TEST(Layout, KnowsWhereSequencesBeginAndEnd) {
  Arena arena;
  const std::vector<Index> lengths = {3, 0, 2};
  const Layout layout = Layout::of(arena, lengths, 5);
  EXPECT_EQ(layout.count(), 3);
  EXPECT_EQ(layout.rows(), 5);
  EXPECT_EQ(layout.begin(2), 3);
  EXPECT_EQ(layout.length(1), 0);
  EXPECT_EQ(layout.first(), 5);
  EXPECT_EQ(Layout().rows(), 0);
  EXPECT_EQ(Layout::uniform(arena, 2, 4).rows(), 8);
  const std::vector<Index> negative = {3, -1};
  EXPECT_THROW(Layout::of(arena, negative), ShapeError);
}

}  // namespace
}  // namespace heed
