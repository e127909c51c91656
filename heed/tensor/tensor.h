#pragma once

#include <span>

#include "heed/tensor/shape.h"

namespace heed {

// A handle on f32 numbers that somebody else owns (an Arena, Parameters, the caller): a pointer and
// a shape, row-major and contiguous. Copying it copies the handle. Trivially destructible, so it
// can be captured by anything that lives in an arena.
struct Tensor {
  float* data = nullptr;
  Shape shape;

  Index count() const { return shape.count(); }
  Index rows() const { return shape[0]; }
  // The product of all sizes but the first.
  Index columns() const { return rows() == 0 ? tail() : count() / rows(); }
  float* row(Index index) const { return data + index * columns(); }
  std::span<float> span() const { return {data, static_cast<std::size_t>(count())}; }
  float& operator[](Index index) const { return data[index]; }

 private:
  Index tail() const {
    Index product = 1;
    for (int axis = 1; axis < shape.rank(); ++axis) product *= shape[axis];
    return product;
  }
};

}  // namespace heed
