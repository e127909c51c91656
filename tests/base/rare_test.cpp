#include "heed/base/rare.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

TEST(Rare, TakesAPointerAndReadsAsADefaultWithoutAValue) {
  EXPECT_EQ(sizeof(Rare<std::string>), sizeof(void*));
  const Rare<std::string> none;
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(*none, "");
  EXPECT_EQ(none->size(), 0u);
}

TEST(Rare, CopiesAreDeep) {
  Rare<std::string> one = "one";
  Rare<std::string> copy = one;
  copy.edit() += " more";
  EXPECT_EQ(*one, "one");
  EXPECT_EQ(*copy, "one more");
  one = copy;
  copy.reset();
  EXPECT_EQ(*one, "one more");
  EXPECT_FALSE(copy);
}

TEST(Rare, EditMakesAValue) {
  Rare<std::string> text;
  text.edit() = "";
  EXPECT_TRUE(text.has_value());
}

}  // namespace
}  // namespace heed
