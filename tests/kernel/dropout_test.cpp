#include "heed/kernel/dropout.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace heed::kernel {
namespace {

// The definition, one number at a time: what every instruction set must agree with.
bool kept(const Dropout& dropout, Index row, Index column, Index row_columns) {
  const Index blocks = (row_columns + 31) / 32;
  const auto word =
      static_cast<std::uint32_t>((row * blocks + column / 32) * 16 + column % 32 % 16);
  auto x = word * 0x9E3779B1u ^ static_cast<std::uint32_t>(dropout.key);
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) + static_cast<std::uint32_t>(dropout.key >> 32);
  x *= 0x846CA68Bu;
  x ^= x >> 16;
  const std::uint32_t half = column % 32 < 16 ? x & 0xFFFFu : x >> 16;
  return half >= static_cast<std::uint32_t>(dropout.rate * 65536.0f + 0.5f);
}

TEST(Dropout, FactorsAreTheSameOnEveryInstructionSet) {
  const Dropout dropout{0.3f, 0x0123456789ABCDEFu};
  for (const Index columns : {Index{1}, Index{31}, Index{32}, Index{77}, Index{512}}) {
    std::vector<float> factors(static_cast<std::size_t>(columns) + 32);
    for (Index row = 0; row < 5; ++row) {
      dropout_factors(dropout, row, 0, columns, columns, factors.data());
      for (Index column = 0; column < columns; ++column) {
        ASSERT_EQ(factors[static_cast<std::size_t>(column)],
                  kept(dropout, row, column, columns) ? dropout.keep_factor() : 0.0f)
            << "row " << row << ", column " << column << " of " << columns;
      }
    }
  }
}

TEST(Dropout, APartOfARowIsThatPartOfTheWholeRow) {
  const Dropout dropout{0.5f, 42};
  std::vector<float> whole(1024), part(1024);
  dropout_factors(dropout, 3, 0, 1000, 1000, whole.data());
  dropout_factors(dropout, 3, 512, 488, 1000, part.data());
  for (std::size_t i = 0; i < 488; ++i) ASSERT_EQ(part[i], whole[512 + i]);
}

TEST(Dropout, KeepsItsShareAndRowsAreIndependent) {
  const Dropout dropout{0.1f, 99};
  constexpr Index kColumns = 1024, kRows = 500;
  std::vector<float> row(kColumns), above(kColumns);
  Index dropped = 0, both = 0;
  for (Index i = 0; i < kRows; ++i) {
    dropout_factors(dropout, i, 0, kColumns, kColumns, row.data());
    for (std::size_t j = 0; j < row.size(); ++j) {
      dropped += row[j] == 0.0f;
      both += i > 0 && row[j] == 0.0f && above[j] == 0.0f;
    }
    above = row;
  }
  const double n = kColumns * kRows;
  EXPECT_NEAR(static_cast<double>(dropped) / n, 0.1, 5.0 * std::sqrt(0.09 / n));
  EXPECT_NEAR(static_cast<double>(both) / n, 0.01, 5.0 * std::sqrt(0.0099 / n));
}

}  // namespace
}  // namespace heed::kernel
