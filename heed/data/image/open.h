#pragma once

#include <memory>
#include <string>

#include "heed/data/read_options.h"
#include "heed/data/record_source.h"

namespace heed {

// What only pictures come in; null where a path is none of these:
//
//   - an archive of many pictures (archive.h)
//   - with a mask for each picture, where tags are asked for: a table with the columns `path` and
//     `mask`, or a folder with the folders `images` and `masks` in it, whose files have the same
//     names up to their endings. The grey values of a mask are the names of its tags.
std::unique_ptr<RecordSource> open_pictures(const std::string& path, const ReadOptions& options);

}  // namespace heed
