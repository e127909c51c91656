#pragma once

#include <string>
#include <vector>

#include "heed/model/input.h"

namespace heed {

// All records of the files, for an input. With `options.skip_bad`, records whose files cannot be
// read are left out, and `notes` gets a count and a list of them; without it the first one is an
// error when it is needed. Nothing left is a FormatError.
Dataset read_records(const std::vector<std::string>& paths, const ReadOptions& options,
                     const Input& input, const Notes& notes);

}  // namespace heed
