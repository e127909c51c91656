#pragma once

#include <string_view>

#include "heed/data/record.h"

namespace heed {

// How a camera was held, as the Exif standard numbers it: 1 is upright, 3 upside down, 6 and 8 a
// quarter turn, the even ones below 6 and 5 and 7 mirrored.
inline constexpr int kUpright = 1;

// What the Exif part of a JPEG file says; kUpright where it says nothing, or nothing sensible.
int jpeg_orientation(std::string_view bytes);

// Whether height and width change places.
inline bool swaps_sides(int orientation) { return orientation >= 5; }

// The picture as it was seen.
Pixels upright(Pixels pixels, int orientation);

}  // namespace heed
