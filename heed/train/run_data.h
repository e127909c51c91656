#pragma once

#include "heed/data/dataset.h"
#include "heed/data/examples.h"
#include "heed/model/config.h"

namespace heed {

// Tells, before anything is learned, what in the data may make scores better than the model, or
// worse (data/inspect.h). Labels that are all different are a FormatError. `dev` may be empty.
void tell_what_deceives(const Dataset& all, const Dataset& dev, const Notes& note);

// The input and the output learn from the data; the names of the answers are known already.
void fit_parts(Config& config, const Dataset& train);

// An example that is longer than the bodies of a config read is a UsageError with its place: before
// the first step, not in the middle of training.
void check_lengths(const Config& config, const Dataset& data, const Examples& examples);

}  // namespace heed
