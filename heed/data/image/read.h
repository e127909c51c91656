#pragma once

#include <memory>

#include "heed/data/record.h"
#include "heed/tensor/layout.h"

namespace heed {

// The pixels of a picture: those in memory, or of its file, a PNG or a JPEG by its first bytes and
// not by its name, also as .gz. With `wanted`, a JPEG may come smaller: see decode_jpeg().
//
// A file that is empty, truncated, too large or no picture is a FormatError with its name; one that
// cannot be read an IoError.
std::shared_ptr<const Pixels> read_picture(const Picture& picture, const Extent& wanted = {0, 0});

// Its size and channels alone, without values.
Pixels read_picture_header(const Picture& picture);

// A mask: grey, or a PNG with a palette, whose numbers then count. Colours are a FormatError.
std::shared_ptr<const Pixels> read_mask(const Picture& picture);

}  // namespace heed
