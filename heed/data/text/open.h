#pragma once

#include <memory>
#include <string>

#include "heed/data/lines.h"
#include "heed/data/record_source.h"

namespace heed {

// Opens a path of texts: a file, a folder, or standard input ("-"). See
// open_records().
std::unique_ptr<RecordSource> open_text(const std::string& path, const ReadOptions& options);

// The same from any bytes, for what does not come from a file.
std::unique_ptr<RecordSource> open_text(LineReader lines, const ReadOptions& options);

// What comes from a pipe, by its first line alone, so that nobody waits for a second one: a format
// that is sure to be meant (JSON objects, a line that names the columns of a table, fastText's
// labels; for tags words in columns between tabs), or else "lines".
std::string find_piped_format(LineReader& lines, const ReadOptions& options);

// Whether a path is a table by its name or by the options: texts and answers side by side.
bool is_table(const std::string& path, const ReadOptions& options);

}  // namespace heed
