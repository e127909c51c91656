#include "heed/kernel/packed.h"

#include <algorithm>
#include <cassert>

#include "heed/kernel/attention_tile.h"

namespace heed::kernel {
namespace {

constexpr Index kPanel = 64;
// Products are made for their exact number of rows: up to so many at a time keeps them few.
constexpr Index kRowTile = 48;

}  // namespace

PackedWeight::PackedWeight(const Matrix& weight, Arena& arena)
    : out_(weight.rows),
      in_(weight.columns),
      panels_(arena.array<float>(weight.rows * weight.columns).data()) {
  for (Index first = 0; first < out_; first += kPanel) {
    const Index count = std::min(kPanel, out_ - first);
    pack_transposed({weight.data + first * weight.stride, weight.stride}, count, in_,
                    panels_ + first * in_, count);
  }
}

bool PackedWeight::helps() {
#if defined(HEED_XSMM)
  return true;
#else
  return false;
#endif
}

void PackedWeight::operator()(const Matrix& x, const Matrix& y) const {
  assert(x.rows == y.rows && x.columns == in_ && y.columns == out_);
  const Index rest = y.rows % kRowTile, rest_columns = out_ % kPanel;
  const auto tile = [&](Index rows, Index columns) {
    return TileProduct({.rows = std::max<Index>(1, rows),
                        .columns = std::max<Index>(1, columns),
                        .inner = in_,
                        .a_stride = x.stride,
                        .b_stride = std::max<Index>(1, columns),
                        .c_stride = y.stride});
  };
  const TileProduct whole = tile(kRowTile, kPanel), below = tile(rest, kPanel);
  const TileProduct beside = tile(kRowTile, rest_columns), corner = tile(rest, rest_columns);
  for (Index first = 0; first < out_; first += kPanel) {
    const bool full = first + kPanel <= out_;
    const float* panel = panels_ + first * in_;
    Index row = 0;
    for (; row + kRowTile <= y.rows; row += kRowTile) {
      (full ? whole : beside)(x.data + row * x.stride, panel, y.data + row * y.stride + first);
    }
    if (rest > 0) {
      (full ? below : corner)(x.data + row * x.stride, panel, y.data + row * y.stride + first);
    }
  }
}

}  // namespace heed::kernel
