#include "heed/base/buffer.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Buffer, IsAlignedZeroedAndMovable) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{5} << 20}) {
    Buffer buffer(bytes);
    EXPECT_GE(buffer.bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::size_t>(buffer.data()) % kAlignment, 0u);
    EXPECT_EQ(buffer.data()[0], std::byte{0});
    EXPECT_EQ(buffer.data()[bytes - 1], std::byte{0});
    buffer.data()[bytes - 1] = std::byte{9};
    const Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.data()[bytes - 1], std::byte{9});
  }
  EXPECT_EQ(Buffer(0).data(), nullptr);
}

TEST(Buffer, MoreMemoryThanThereIsIsAnException) {
  EXPECT_THROW(Buffer(std::size_t{1} << 60), std::bad_alloc);
}

}  // namespace
}  // namespace heed
