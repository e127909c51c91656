#pragma once

#include <span>

#include "heed/model/model.h"

namespace heed {

// What a model with clues knows by counting, before its first step: how rare each clue is, and,
// where the config asks for it, how often it is in each class.
void count_clues(std::span<const Example> examples, Model& model);

}  // namespace heed
