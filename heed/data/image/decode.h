#pragma once

#include <string>
#include <string_view>

#include "heed/data/record.h"
#include "heed/tensor/layout.h"

namespace heed {

// The most pixels of a picture in memory: what a header announces beyond it is refused before any
// memory is asked for. A JPEG is decoded at a smaller scale where that brings it below.
inline constexpr Index kMostPixels = 40'000'000;

// Where the pixels of a PNG are numbers of a palette: its colours, or the numbers as grey values,
// which is what a mask means.
enum class Palette { kColours, kNumbers };

// Pixels of PNG bytes: grey where the file is grey, else red, green, blue; 8 bits each. 16 bits are
// rounded to 8, and what is transparent is laid over white. `name` is for messages: what is broken,
// truncated or too large is a FormatError.
Pixels decode_png(const std::string& name, std::string_view bytes,
                  Palette palette = Palette::kColours);

// The same for JPEG bytes: grey or colour, CMYK included, baseline or progressive, and turned as
// the camera was held (Exif). The picture may come at a half, a quarter or an eighth of its size
// where both sides stay at least as long as those of `wanted`, since most of the time is saved
// then; with 0 x 0 it comes whole.
Pixels decode_jpeg(const std::string& name, std::string_view bytes, const Extent& wanted = {0, 0});

// The size of a picture and its channels (1 or 3), without its pixels.
Pixels png_header(const std::string& name, std::string_view bytes);
Pixels jpeg_header(const std::string& name, std::string_view bytes);

bool looks_like_png(std::string_view bytes);
bool looks_like_jpeg(std::string_view bytes);

}  // namespace heed
