#pragma once

#include <string>
#include <string_view>

#include "heed/model/description.h"

namespace heed {

// A picture of a model: a box for each step from top to bottom, on the arrows between them the
// shape of what passes, beside them parameters and FLOPs. Layers of a stack that are alike are
// drawn once. SVG that needs nothing from outside and follows the reader's light or dark setting.
std::string description_svg(const Description& description, std::string_view title);

}  // namespace heed
