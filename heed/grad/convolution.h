#pragma once

#include "heed/grad/context.h"

namespace heed::grad {

// How a 1-D convolution moves over each sequence.
struct Convolution1dGeometry {
  Index stride = 1;    // rows from one output to the next
  Index dilation = 1;  // rows from one tap of the kernel to the next
  Index padding = 0;   // rows of zeros before and after each sequence
  Index groups = 1;    // channels are cut into so many parts that do not see each other

  // Rows that go out for `length` rows in, `taps` wide; none where the kernel does not fit, and
  // none for an empty sequence.
  Index output(Index length, Index taps) const;
};

// y_t = b + Σ_j W_j x_(stride · t + dilation · j − padding), for each sequence on its own:
//   x (rows, in), weight (out, in / groups, taps), bias (out) or empty → (new rows, out)
//
// Beyond a sequence's ends there are zeros, never its neighbours. With groups == in == out
// (depthwise) each channel has taps of its own and no matrix is built.
Sequences convolution1d(Context& context, const Sequences& x, const Var& weight, const Var& bias,
                        const Convolution1dGeometry& geometry = {});

// Images of one size: each is height · width rows of channels, its lines from left to right one
// after another. As sequences, they can go straight on to attention.
struct Images {
  Var rows;  // (images · height · width, channels)
  Extent extent;
};

struct Convolution2dGeometry {
  Extent stride{1, 1};
  Extent padding{0, 0};  // zeros around each image
  Index groups = 1;      // channels are cut into so many parts that do not see each other

  Extent output(const Extent& image, const Extent& kernel) const;
};

// Which row of x is under each place of the kernel at each output, −1 where that is padding:
// (images · new height · new width, kernel height · kernel width). In the arena.
std::span<const std::int32_t> picture_taps(Arena& arena, Index images, const Extent& image,
                                           const Extent& kernel,
                                           const Convolution2dGeometry& geometry);

// x (images · height · width, in), weight (out, in / groups, kernel height, kernel width), bias
// (out) or empty → (images · new height · new width, out). With groups == in == out (depthwise)
// each channel has a kernel of its own.
Images convolution2d(Context& context, const Images& x, const Var& weight, const Var& bias,
                     const Convolution2dGeometry& geometry = {});

// The largest of each channel under a window that moves over each image, padding left out:
//   (images · height · width, channels) → (images · new height · new width, channels)
Images max_pool2d(Context& context, const Images& x, const Extent& window,
                  const Convolution2dGeometry& geometry);

}  // namespace heed::grad
