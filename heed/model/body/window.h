#pragma once

#include "heed/model/parts.h"
#include "heed/nn/convolution.h"
#include "heed/nn/linear.h"

namespace heed {

// Each vector with its neighbours through a fully-connected layer: the field of view is the window
// and no more, which is what attention is for.
//   (rows, width) → (rows, width)
class WindowBody : public Body {
 public:
  WindowBody(const Scope& scope, const Config& config);

  Sequences operator()(Context& context, const Sequences& x) const override;

 private:
  float dropout_;
  nn::Convolution1d window_;  // a fully-connected layer on each window is a convolution
  nn::Linear out_;
};

}  // namespace heed
