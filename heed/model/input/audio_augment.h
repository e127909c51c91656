#pragma once

#include <span>

#include "heed/base/random.h"
#include "heed/data/ragged.h"
#include "heed/model/input/audio_options.h"

namespace heed {

// Random changes of normalised features, (frames, bands), of a recording.

// Plays the last item of a column faster or slower by up to `most`, by interpolation: a frame at
// time t becomes the one at s · t, and what sounds at f sounds at s · f. The number of frames stays
// a multiple of the stride.
void change_speed(float most, const AudioOptions& options, Random& random, Ragged<float>& column);

// Louder or softer.
void change_gain(const AudioOptions& options, Random& random, std::span<float> frames);

// SpecAugment: stretches of time and of bands are set to 0, their mean.
void mask(const AudioOptions& options, Random& random, std::span<float> frames);

}  // namespace heed
