#pragma once

#include "heed/model/config.h"
#include "heed/model/input/audio.h"
#include "heed/train/defaults/text.h"

namespace heed {

// What all defaults for recordings have in common.
inline void start_audio(const Config& said, Config& config) {
  AudioOptions& audio = config.input.as<AudioInput>()->options();
  audio.prenet = Prenet::kConvolution;
  audio.stride = 2;
  audio.augment.time_masks = 2;
  audio.augment.band_masks = 2;
  audio.augment.gain = 6.0f;
  if (auto* body = config.body.as<AttentionBody>()) start_attention(said, *body);
}

}  // namespace heed
