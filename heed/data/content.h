#pragma once

#include <string>
#include <string_view>

#include "heed/data/read_options.h"
#include "heed/data/record.h"

namespace heed {

// What a file holds by the end of its name, whatever the case: audio for .wav, .flac, …, images for
// .png, .jpg, …; unknown for any other.
ContentKind content_of_name(std::string_view name);

// What the records of a path hold: by its name, by the files in a folder for each class, or by
// those that a manifest names; text where nothing says otherwise.
ContentKind find_content(const std::string& path, const ReadOptions& options);

// "texts", "recordings", "pictures".
std::string plural(ContentKind kind);

// What the content of a record is.
ContentKind kind_of(const Content& content);

// A file as the content of a record, to be read when it is needed.
Content file_content(ContentKind kind, std::string file);

}  // namespace heed
