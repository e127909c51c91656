#include "heed/data/ragged.h"

#include <gtest/gtest.h>

#include "heed/base/random.h"
#include "tests/support/lists.h"

namespace heed {
namespace {

using test::list;
using test::Numbers;

TEST(Ragged, KeepsItemsOneAfterAnother) {
  Ragged<std::int32_t> items;
  EXPECT_EQ(items.count(), 0);
  EXPECT_TRUE(items.values().empty() && items.lengths().empty());
  items.add(Numbers{1, 2, 3});
  items.add({});
  items.add(Numbers{4});
  EXPECT_EQ(items.count(), 3);
  EXPECT_EQ(list(items.values()), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(list(items.lengths()), (std::vector<Index>{3, 0, 1}));
}

TEST(Ragged, APartIsTheValuesOfNeighbouringItems) {
  Random random(3);
  std::vector<Numbers> all;
  Ragged<std::int32_t> items;
  for (int i = 0; i < 12; ++i) {
    Numbers item(random.below(4));
    for (std::int32_t& value : item) value = static_cast<std::int32_t>(random.below(100));
    items.add(item);
    all.push_back(item);
  }
  for (std::size_t first = 0; first <= all.size(); ++first) {
    Numbers expected;
    for (std::size_t count = 0; first + count <= all.size(); ++count) {
      EXPECT_EQ(list(items.part(static_cast<Index>(first), static_cast<Index>(count))), expected)
          << "seed 3, " << count << " from " << first;
      if (first + count == all.size()) break;
      const Numbers& next = all[first + count];
      expected.insert(expected.end(), next.begin(), next.end());
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(list(items.part(static_cast<Index>(i))), all[i]) << "seed 3, " << i;
  }
}

TEST(Ragged, AnItemMayComePieceByPiece) {
  Ragged<float> items;
  items.add(std::vector<float>{0.5f});
  items.push(1.0f);
  items.push(2.0f);
  EXPECT_EQ(items.open(), 2);
  EXPECT_EQ(list(items.pushed()), (std::vector<float>{1.0f, 2.0f}));
  EXPECT_EQ(items.count(), 1) << "it is not yet closed";
  items.close();
  EXPECT_EQ(items.count(), 2);
  EXPECT_EQ(items.open(), 0);
  EXPECT_TRUE(items.pushed().empty());
  items.close();  // one without values
  items.buffer().push_back(3.0f);
  EXPECT_EQ(items.open(), 1);
  items.close();
  EXPECT_EQ(list(items.lengths()), (std::vector<Index>{1, 2, 0, 1}));
  EXPECT_EQ(list(items.part(1, 3)), (std::vector<float>{1.0f, 2.0f, 3.0f}));
}

TEST(Ragged, OnlyTheItemThatIsNotYetClosedIsTruncated) {
  Ragged<std::int32_t> items;
  items.add(Numbers{1, 2, 3});
  items.truncate(0);
  EXPECT_EQ(list(items.part(0)), (Numbers{1, 2, 3}));
  for (const std::int32_t value : {4, 5, 6}) items.push(value);
  items.truncate(7);  // it has not so many
  EXPECT_EQ(items.open(), 3);
  items.truncate(3);
  EXPECT_EQ(items.open(), 3);
  items.truncate(2);
  items.push(7);
  items.close();
  EXPECT_EQ(list(items.part(1)), (Numbers{4, 5, 7}));
  items.push(8);
  items.truncate(0);
  items.close();
  EXPECT_EQ(list(items.values()), (Numbers{1, 2, 3, 4, 5, 7}));
  EXPECT_EQ(list(items.lengths()), (std::vector<Index>{3, 3, 0}));
}

TEST(Ragged, IsAsNewWhenCleared) {
  Ragged<std::int32_t> items;
  items.add(Numbers{1, 2});
  items.push(3);  // never closed
  items.clear();
  EXPECT_EQ(items.count(), 0);
  EXPECT_EQ(items.open(), 0);
  EXPECT_EQ(items.bytes(), Ragged<std::int32_t>().bytes());
  items.add(Numbers{4});
  EXPECT_EQ(list(items.values()), Numbers{4});
  EXPECT_EQ(list(items.part(0)), Numbers{4});
}

TEST(Ragged, ItsBytesGrowWithValuesAndItems) {
  Ragged<std::int32_t> items;
  items.add({});
  const std::size_t empty = items.bytes();
  EXPECT_GT(empty, 0u);
  items.push(1);
  EXPECT_EQ(items.bytes(), empty + sizeof(std::int32_t));
  items.close();
  EXPECT_EQ(items.bytes(), 2 * empty + sizeof(std::int32_t));
}

}  // namespace
}  // namespace heed
