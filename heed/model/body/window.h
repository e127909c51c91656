#pragma once

#include "heed/model/body.h"

namespace heed {

struct WindowOptions {
  Index neighbours = 2;  // that a vector is seen with, on each side
  Index hidden = 256;
  float dropout = 0.1f;  // on the hidden layer
};
template <class Archive>
void describe(Archive& archive, WindowOptions& options);

// Each vector with its neighbours through a fully-connected layer: the field of view is the window
// and no more, which is what attention is for.
//   (rows, width) → (rows, width).  Parameters: window, out.
class WindowBody : public PartOf<WindowBody, Body, WindowOptions> {
 public:
  std::unique_ptr<BodyNetwork> network(const Scope& scope, Index width) const override;
  void set_dropout(float rate) override { options_.dropout = rate; }
  void apply(const SizePreset& size) override;
};

}  // namespace heed
