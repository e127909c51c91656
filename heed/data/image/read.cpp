#include "heed/data/image/read.h"

#include "heed/base/error.h"
#include "heed/data/byte_source.h"
#include "heed/data/image/decode.h"

namespace heed {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of a file

enum class Format { kPng, kJpeg };

Format format_of(const std::string& name, std::string_view bytes) {
  if (bytes.empty()) throw FormatError(name + ": is empty, expected a PNG or JPEG picture");
  if (looks_like_png(bytes)) return Format::kPng;
  if (looks_like_jpeg(bytes)) return Format::kJpeg;
  throw FormatError(name + ": is neither a PNG nor a JPEG picture");
}

std::string bytes_of(const Picture& picture) {
  return ByteSource::open(*picture.file).read_all(kMostBytes);
}

}  // namespace

std::shared_ptr<const Pixels> read_picture(const Picture& picture, const Extent& wanted) {
  if (picture.pixels != nullptr) return picture.pixels;
  const std::string bytes = bytes_of(picture);
  return std::make_shared<const Pixels>(format_of(*picture.file, bytes) == Format::kPng
                                            ? decode_png(*picture.file, bytes)
                                            : decode_jpeg(*picture.file, bytes, wanted));
}

Pixels read_picture_header(const Picture& picture) {
  if (const Pixels* pixels = picture.pixels.get()) {
    return {pixels->height, pixels->width, pixels->channels, {}};
  }
  const std::string bytes = bytes_of(picture);
  return format_of(*picture.file, bytes) == Format::kPng ? png_header(*picture.file, bytes)
                                                         : jpeg_header(*picture.file, bytes);
}

std::shared_ptr<const Pixels> read_mask(const Picture& picture) {
  std::shared_ptr<const Pixels> mask = picture.pixels;
  if (mask == nullptr) {
    const std::string bytes = bytes_of(picture);
    mask = std::make_shared<const Pixels>(format_of(*picture.file, bytes) == Format::kPng
                                              ? decode_png(*picture.file, bytes, Palette::kNumbers)
                                              : decode_jpeg(*picture.file, bytes));
  }
  if (mask->channels == 1) return mask;
  throw FormatError(*picture.file +
                    ": a mask in colour, expected grey values or a palette, a number for each "
                    "class");
}

}  // namespace heed
