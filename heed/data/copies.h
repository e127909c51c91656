#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/dataset.h"

namespace heed {

// A number that two contents share only if they are the same: texts without the spaces around them,
// sentences by their words, recordings and pictures by their file and part.
std::uint64_t content_key(const Content& content);

// The records whose content occurs more than once: those of each content together, in the order of
// the data.
std::vector<std::vector<Index>> copies_of(const Dataset& data);

}  // namespace heed
