#pragma once

#include "heed/data/lines.h"

namespace heed {

// Whether what comes is a sentence on each line, and not words in columns: no tabs, more than one
// word on a line, and not the same number on all lines with empty ones between them.
bool looks_like_sentences(LineReader& lines);

}  // namespace heed
