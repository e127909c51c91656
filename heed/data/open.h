#pragma once

#include <memory>
#include <string>

#include "heed/data/lines.h"
#include "heed/data/record_source.h"

namespace heed {

// Opens any path: a file, a folder for each class (to predict, any folder of files), or standard
// input ("-").
//
// What it holds (texts, recordings, pictures) is what the options say, or else found out: see
// find_content(). Recordings and pictures are in a folder for each class, or are named by a table
// with a column `path`, or are single files.
//
// The format of texts is what the options say, or else what the name ends in (.csv, .tsv, .jsonl, …
// and any of these with .gz), or else what the first lines look like, among those formats that hold
// the answers asked for. Plain lines are read only where answers are optional: each a text, or for
// tags a sentence, which is split into words (split_words.h); `words` has them between spaces.
//
// An unknown format or an option that the format has no use for is a UsageError, an empty file a
// FormatError.
std::unique_ptr<RecordSource> open_records(const std::string& path,
                                           const ReadOptions& options = {});

// Texts from lines that are open already; options.format is what find_piped_format() says.
std::unique_ptr<RecordSource> open_piped(LineReader lines, const ReadOptions& options);

}  // namespace heed
