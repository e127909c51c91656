#pragma once

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

}  // namespace heed::nn
