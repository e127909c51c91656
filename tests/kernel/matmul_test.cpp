#include "heed/kernel/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heed/base/random.h"
#include "heed/kernel/packed.h"

namespace heed::kernel {
namespace {

enum class Kind { kPlain, kRight, kLeft, kTile, kTileLeft, kPacked };

struct Problem {
  Index m, n, k;
  Index pad;  // numbers between the rows of every matrix
};

std::vector<float> random_numbers(Index count, std::uint64_t key) {
  Random random(key);
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) number = random.normal();
  return numbers;
}

void check(Kind kind, const Problem& p, Store store) {
  const bool left = kind == Kind::kLeft || kind == Kind::kTileLeft;
  const bool right = kind == Kind::kRight || kind == Kind::kPacked;
  const Index a_rows = left ? p.k : p.m, a_columns = left ? p.m : p.k;
  const Index b_rows = right ? p.n : p.k, b_columns = right ? p.k : p.n;
  const Index as = a_columns + p.pad, bs = b_columns + p.pad, cs = p.n + p.pad;
  std::vector<float> a = random_numbers(a_rows * as, 1), b = random_numbers(b_rows * bs, 2);
  const std::vector<float> before = random_numbers(p.m * cs, 3);
  std::vector<float> c = before;
  const Matrix ma(a.data(), a_rows, a_columns, as), mb(b.data(), b_rows, b_columns, bs),
      mc(c.data(), p.m, p.n, cs);
  switch (kind) {
    case Kind::kPlain:
      product(ma, mb, mc, store);
      break;
    case Kind::kRight:
      product_transposed_right(ma, mb, mc, store);
      break;
    case Kind::kLeft:
      product_transposed_left(ma, mb, mc, store);
      break;
    case Kind::kTile:
    case Kind::kTileLeft:
      TileProduct({p.m, p.n, p.k, as, bs, cs, left, store})(a.data(), b.data(), c.data());
      break;
    case Kind::kPacked: {
      Arena arena;
      PackedWeight(mb, arena)(ma, mc);
      break;
    }
  }
  for (Index i = 0; i < p.m; ++i) {
    for (Index j = 0; j < cs; ++j) {
      const auto at = static_cast<std::size_t>(i * cs + j);
      double expected = before[at];
      double bound = 0.0;
      if (j < p.n) {
        if (store == Store::kOverwrite) expected = 0.0;
        for (Index k = 0; k < p.k; ++k) {
          const double x = a[static_cast<std::size_t>(left ? k * as + i : i * as + k)];
          const double y = b[static_cast<std::size_t>(right ? j * bs + k : k * bs + j)];
          expected += x * y;
          bound += std::abs(x * y);
        }
      }
      ASSERT_NEAR(c[at], expected, 1e-6 * (bound + std::abs(expected)))
          << "row " << i << ", column " << j << " of " << p.m << "×" << p.n << "×" << p.k;
    }
  }
}

TEST(Product, AgreesWithTheDefinitionForAllShapesAndStrides) {
  const Problem problems[] = {
      {1, 1, 1, 0}, {3, 5, 7, 0}, {17, 33, 65, 3},   {64, 64, 64, 16},  {0, 4, 4, 0},
      {4, 0, 4, 0}, {4, 4, 0, 0}, {130, 70, 300, 1}, {1024, 3, 300, 0}, {2048, 2, 513, 0}};
  for (const Problem& problem : problems) {
    for (const Kind kind : {Kind::kPlain, Kind::kRight, Kind::kLeft}) {
      for (const Store store : {Store::kOverwrite, Store::kAdd}) check(kind, problem, store);
    }
  }
}

TEST(TileProduct, AgreesWithTheDefinitionForAllShapesAndStrides) {
  const Problem problems[] = {{1, 16, 1, 0},  {4, 16, 5, 16},  {64, 256, 16, 16},
                              {52, 1, 64, 0}, {16, 40, 52, 3}, {4, 7, 128, 0}};
  for (const Problem& problem : problems) {
    for (const Kind kind : {Kind::kTile, Kind::kTileLeft}) {
      for (const Store store : {Store::kOverwrite, Store::kAdd}) check(kind, problem, store);
    }
  }
}

TEST(PackedWeight, AgreesWithTheDefinitionForAllShapesAndStrides) {
  const Problem problems[] = {{1, 1, 1, 0},      {3, 64, 7, 0},    {32, 65, 16, 3},
                              {33, 130, 64, 16}, {70, 200, 33, 1}, {0, 64, 8, 0}};
  for (const Problem& problem : problems) check(Kind::kPacked, problem, Store::kOverwrite);
}

}  // namespace
}  // namespace heed::kernel
