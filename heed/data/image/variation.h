#pragma once

#include <cstdint>
#include <span>

#include "heed/base/random.h"
#include "heed/data/record.h"

namespace heed {

// Random changes that leave a picture what it is (augmentation). Each draws evenly from a range;
// 0 or false is off.
struct Variation {
  float shift = 0.0f;   // up to this part of the side, along and across
  float rotate = 0.0f;  // up to so many degrees
  float zoom = 0.0f;    // from 1 − zoom to 1 + zoom times the size
  bool flip = false;    // left and right exchanged, half of the time
  float colour = 0.0f;  // brightness, contrast and saturation, by up to this part each
  float erase = 0.0f;   // the part of all pictures of which a rectangle is hidden
  float mixup = 0.0f;   // pictures are mixed in pairs, by shares of Beta(mixup, mixup)

  // Whether something moves, so that a mask would no longer fit.
  bool moves() const { return shift > 0.0f || rotate > 0.0f || zoom > 0.0f || flip; }
};

// A picture that is changed in place. What was not in it before has the values `edge`, one for each
// channel.
struct VariedPicture {
  Index height, width, channels;
  std::span<std::uint8_t> values;
  std::span<const std::uint8_t> edge;
};
void vary_picture(const VariedPicture& picture, const Variation& variation, Random& random);

// values ← (1 − share) · values + share · other, rounded.
void mix_pictures(std::span<std::uint8_t> values, std::span<const std::uint8_t> other, float share);

}  // namespace heed
