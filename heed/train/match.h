#pragma once

#include "heed/model/config.h"

namespace heed {

// Parameters of the body of a config's first network.
Index body_parameters(const Config& config);

// Makes the body about as large as `target` parameters: its hidden width grows or shrinks, and
// where even the smallest is too much, a layer goes. A body without such an option (a bag) stays as
// it is. Returns how many parameters it has then.
Index match_parameters(Config& config, Index target);

}  // namespace heed
