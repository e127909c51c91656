#pragma once

#include <vector>

#include "heed/eval/comparison.h"
#include "heed/model/config.h"

namespace heed {

// How fast the body of a config is, and how much memory a pass takes, on made sequences of these
// lengths: forward and backward, on one core, at least 0.2 s for each length. Where the input
// gives pictures, a length that is a square is one.
std::vector<LengthSpeed> measure_lengths(const Config& config, const std::vector<Index>& lengths);

}  // namespace heed
