#pragma once

#include <optional>
#include <vector>

#include "heed/model/input.h"
#include "heed/model/input/audio_options.h"
#include "heed/nn/convolution.h"
#include "heed/nn/linear.h"

namespace heed {

// Log-mel frames → vectors.
//   frames (rows · stride, bands) → (rows, width).  Parameters: prenet, or convolutions.
class AudioNetwork : public InputNetwork {
 public:
  AudioNetwork(const Scope& scope, const AudioOptions& options, Index width);

  Sequences operator()(Context& context, const Batch& batch) const override;
  void describe(Plan& plan) const override;

 private:
  AudioOptions options_;
  Index width_;
  std::optional<nn::Linear> prenet_;
  std::vector<nn::Convolution1d> convolutions_;
};

}  // namespace heed
