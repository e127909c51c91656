#pragma once

#include <array>

#include "heed/tensor/shape.h"

namespace heed::cli {

inline constexpr std::array<Index, 32> kRaggedLengths = {
    120, 340, 88,  1024, 210, 150, 95,  400, 260,  180, 77,  60, 512, 300, 140, 132,
    240, 199, 101, 650,  333, 87,  290, 175, 1024, 210, 118, 96, 420, 205, 161, 250};

}  // namespace heed::cli
