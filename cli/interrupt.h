#pragma once

#include <atomic>

namespace heed::cli {

// Becomes true at the first Ctrl-C (or SIGTERM): what runs saves and leaves. A second one ends the
// program at once.
const std::atomic<bool>& interrupted();

}  // namespace heed::cli
