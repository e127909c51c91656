#pragma once

#include <array>
#include <optional>
#include <vector>

#include "heed/base/buffer.h"
#include "heed/model/input.h"
#include "heed/model/input/image_options.h"
#include "heed/nn/convolution.h"
#include "heed/nn/linear.h"

namespace heed {

// Pictures → vectors:
//   patches, pixels: a linear layer of the numbers of each;
//   convolution: stages of convolutions with ReLU, each stage ending in a max pooling, the last
//   convolution giving vectors of the model's width.
// Then positions in two dimensions and dropout.
//   (pictures · lines · columns, width).  Parameters: windows, convolutions.0, …, positions.
//
// The first convolution is a linear layer on windows of the picture: with one to three channels a
// product over gathered rows would mostly gather.
class ImageNetwork : public InputNetwork {
 public:
  // The options are settled().
  ImageNetwork(const Scope& scope, const ImageOptions& options, Index width);

  Sequences operator()(Context& context, const Batch& batch) const override;
  void describe(Plan& plan) const override;

 private:
  // How windows move over a picture; beyond it is the mean, 0.
  struct Windows {
    Index side, stride, padding;
    Extent count;  // in lines and columns
  };
  Windows windows() const;
  Tensor gather(Context& context, const Batch& batch, const Windows& windows) const;
  Var convolve(Context& context, const Var& first) const;
  struct Pooling {
    Extent window;
    grad::Convolution2dGeometry geometry;
  };
  Pooling pooling(const Extent& size) const;
  void fill_positions(Index width);

  ImageOptions options_;
  Extent grid_;
  std::array<std::array<float, 256>, 3> numbers_{};  // of each byte, for each channel
  nn::Linear first_;
  std::vector<nn::Convolution2d> convolutions_;
  Buffer sines_;
  const Parameter* positions_ = nullptr;
};

}  // namespace heed
