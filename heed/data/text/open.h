#pragma once

#include <memory>
#include <string>

#include "heed/data/lines.h"
#include "heed/data/record_source.h"

namespace heed {

// Opens a path of texts: a file, a folder for each class, or standard input ("-"). See
// open_records().
std::unique_ptr<RecordSource> open_text(const std::string& path, const ReadOptions& options);

// The same from any bytes, for what does not come from a file.
std::unique_ptr<RecordSource> open_text(LineReader lines, const ReadOptions& options);

// Whether a path is a table by its name or by the options: texts and answers side by side.
bool is_table(const std::string& path, const ReadOptions& options);

}  // namespace heed
