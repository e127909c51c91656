#pragma once

#include <memory>
#include <string>

#include "cli/bench/workloads.h"

namespace heed::cli {

// The workload `text`: the network that heed train classify makes without flags, on lines as long
// as those of film reviews. With another body it is `text-` and the name of the body: the same
// input, output and width.
std::unique_ptr<Workload> make_text_workload(const std::string& body);

}  // namespace heed::cli
