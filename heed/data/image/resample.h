#pragma once

#include "heed/data/record.h"
#include "heed/tensor/layout.h"

namespace heed {

// A part of a picture, in pixels; sides need not be whole numbers.
struct Region {
  double top = 0.0, left = 0.0, height = 0.0, width = 0.0;
};

Region whole(const Pixels& picture);
// The largest part in the middle that has the shape of `extent`.
Region middle(const Pixels& picture, const Extent& extent);

// A part of a picture at another size. A new pixel is the mean of the old ones under it, weighted
// by a triangle that is two new pixels wide, or two old ones where the picture grows: area
// averaging and bilinear interpolation in one.
Pixels resample(const Pixels& picture, const Region& part, const Extent& to);

// Grey (1 channel) or colour (3) of either: the luma of ITU-R BT.601, or grey three times.
Pixels with_channels(const Pixels& picture, Index channels);

}  // namespace heed
