#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "heed/base/error.h"

namespace heed {

using Index = std::int64_t;

// Up to four sizes. (rows, columns) is by far the most common: a batch is rows, and only the
// operations that look at sequences know where one ends and the next begins.
class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<Index> sizes) {
    if (sizes.size() > kMaxRank) {
      fail<ShapeError>("shape", "expected at most {} sizes, got {}", kMaxRank, sizes.size());
    }
    for (const Index size : sizes) {
      if (size < 0) fail<ShapeError>("shape", "expected sizes of at least 0, got {}", size);
      sizes_[static_cast<std::size_t>(rank_++)] = size;
    }
    check_count();
  }

  int rank() const { return rank_; }
  Index operator[](int axis) const { return sizes_[static_cast<std::size_t>(axis)]; }
  Index count() const {
    Index product = 1;
    for (int axis = 0; axis < rank_; ++axis) product *= (*this)[axis];
    return product;
  }
  bool operator==(const Shape& other) const = default;

  // "(3, 4)"
  std::string text() const {
    std::string result = "(";
    for (int axis = 0; axis < rank_; ++axis) {
      if (axis > 0) result += ", ";
      result += std::to_string((*this)[axis]);
    }
    return result + ")";
  }

 private:
  // So that count() and what is computed from it fit into an Index.
  void check_count() const {
    constexpr Index kMost = Index{1} << 56;
    Index product = 1;
    for (int axis = 0; axis < rank_; ++axis) {
      const Index size = (*this)[axis];
      if (size == 0) return;
      if (size > kMost / product) {
        fail<ShapeError>("shape", "expected at most 2^56 numbers, got {}", text());
      }
      product *= size;
    }
  }

  std::array<Index, kMaxRank> sizes_{};
  int rank_ = 0;
};

}  // namespace heed
