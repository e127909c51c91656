#pragma once

#include "heed/model/body.h"

namespace heed {

struct CnnOptions {
  Index dimensions = 1;  // 1: over sequences; 2: over pictures, whose rows are a grid
  Index layers = 2;
  Index taps = 3;      // vectors that a convolution sees, an odd number; of a picture taps × taps
  Index dilation = 1;  // each block's taps are so many times as far apart as those before it
  Index hidden = 0;    // channels between the two convolutions of a block; 0: as the width
  float dropout = 0.1f;  // on the hidden channels
};
template <class Archive>
void describe(Archive& archive, CnnOptions& options);

// Residual convolutions, which see a neighbourhood that grows with every block.
//   (rows, width) → (rows, width).  Parameters: layers.0.norm, layers.0.in, layers.0.out, …, norm.
//
//   x + convolution(relu(convolution(norm(x)))), for each block; a norm behind the last
//
// Beyond the ends of a sequence, or the edges of a picture, there are zeros.
class CnnBody : public PartOf<CnnBody, Body, CnnOptions> {
 public:
  std::string problem(Index width) const override;
  void set_dropout(float rate) override { options_.dropout = rate; }
  void apply(const SizePreset& size) override;
  std::unique_ptr<BodyNetwork> network(const Scope& scope, Index width) const override;
};

}  // namespace heed
