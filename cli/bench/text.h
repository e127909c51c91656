#pragma once

#include <memory>

#include "cli/bench/workloads.h"

namespace heed::cli {

// The workload `text`: the network that heed train classify makes without flags, on lines as long
// as those of film reviews.
std::unique_ptr<Workload> make_text_workload();

}  // namespace heed::cli
