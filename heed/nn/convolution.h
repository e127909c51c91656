#pragma once

#include <optional>

#include "heed/grad/convolution.h"

namespace heed::nn {

struct Convolution1dOptions {
  Index in = 0, out = 0;  // channels
  Index taps = 3;         // rows that the kernel sees
  grad::Convolution1dGeometry geometry{};

  // Each output stands over its input's row: the length stays. For an odd number of taps, stride 1.
  Convolution1dOptions& same() {
    geometry.padding = geometry.dilation * (taps - 1) / 2;
    return *this;
  }
};

// Convolution over each sequence of a batch, zeros beyond its ends.
//   (rows, in) → (new rows, out).  Parameters weight (out, in / groups, taps) and bias (out).
class Convolution1d {
 public:
  Convolution1d(const Scope& scope, const Convolution1dOptions& options);

  Sequences operator()(Context& context, const Sequences& x) const;
  // For so many rows that go out.
  double flops(Index rows) const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(weight_->value.count());
  }
  const Parameter& weight() const { return *weight_; }
  const Parameter& bias() const { return *bias_; }

 private:
  grad::Convolution1dGeometry geometry_;
  const Parameter* weight_;
  const Parameter* bias_;
};

struct Convolution2dOptions {
  Index in = 0, out = 0;  // channels
  Extent kernel{3, 3};
  grad::Convolution2dGeometry geometry{};
};

// Convolution over images of one size.
//   (images · height · width, in) → (images · new height · new width, out).
//   Parameters weight (out, in / groups, kernel height, kernel width) and bias (out).
class Convolution2d {
 public:
  Convolution2d(const Scope& scope, const Convolution2dOptions& options);

  grad::Images operator()(Context& context, const grad::Images& x) const;
  Index out() const { return weight_->value.shape[0]; }
  // For so many pixels that go out.
  double flops(Index pixels) const {
    return 2.0 * static_cast<double>(pixels) * static_cast<double>(weight_->value.count());
  }

 private:
  grad::Convolution2dGeometry geometry_;
  const Parameter* weight_;
  const Parameter* bias_;
};

struct NeighbourConvolutionOptions {
  Index in = 0, out = 0;  // channels
  Index taps = 3;         // an odd number; of pictures a square of taps × taps
  Index dimensions = 1;   // 1: over sequences; 2: over pictures
  Index dilation = 1;     // only over sequences
};

// Each row with those around it: a convolution over sequences or over pictures that keeps the
// number of rows.
//   (rows, in) → (rows, out).  Parameters weight and bias, as above.
class NeighbourConvolution {
 public:
  NeighbourConvolution(const Scope& scope, const NeighbourConvolutionOptions& options);

  Sequences operator()(Context& context, const Sequences& x) const;
  // Whether it goes over pictures, and these are none.
  bool misses_pictures(const Sequences& x) const {
    return plane_ && x.layout.count() > 0 && x.layout.grid().count() == 0;
  }
  double flops(Index rows) const { return line_ ? line_->flops(rows) : plane_->flops(rows); }
  // Null over pictures.
  const Convolution1d* line() const { return line_ ? &*line_ : nullptr; }

 private:
  std::optional<Convolution1d> line_;
  std::optional<Convolution2d> plane_;
};

}  // namespace heed::nn
