#pragma once

#include <memory>

#include "cli/bench/workloads.h"

namespace heed::cli {

// The workload `translate`: an encoder and a decoder on pairs of sentences.
std::unique_ptr<Workload> make_translate_workload();

}  // namespace heed::cli
