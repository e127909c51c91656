#include "heed/data/image/orientation.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace heed {
namespace {

constexpr std::size_t kEntry = 12;             // bytes of an entry of a TIFF directory
constexpr std::uint32_t kOrientation = 0x112;  // the entry that is looked for
constexpr std::uint32_t kShort = 3;            // its type: two bytes

// Bytes in either order, checked.
class Numbers {
 public:
  Numbers(std::string_view bytes, bool big) : bytes_(bytes), big_(big) {}

  bool holds(std::size_t at, std::size_t count) const {
    return at <= bytes_.size() && count <= bytes_.size() - at;
  }
  std::uint32_t number(std::size_t at, std::size_t count) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = at + (big_ ? i : count - 1 - i);
      value = value << 8 | static_cast<std::uint8_t>(bytes_[place]);
    }
    return value;
  }

 private:
  std::string_view bytes_;
  bool big_;
};

// A TIFF header: the order of bytes, 42, and where the first directory is.
int tiff_orientation(std::string_view tiff) {
  if (tiff.size() < 8) return kUpright;
  const Numbers numbers(tiff, tiff.starts_with("MM"));
  const std::size_t directory = numbers.number(4, 4);
  if (!numbers.holds(directory, 2)) return kUpright;
  const std::size_t entries = numbers.number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntry;
    if (!numbers.holds(entry, kEntry)) break;
    if (numbers.number(entry, 2) != kOrientation || numbers.number(entry + 2, 2) != kShort) {
      continue;
    }
    const int value = static_cast<int>(numbers.number(entry + 8, 2));
    return value >= 1 && value <= 8 ? value : kUpright;
  }
  return kUpright;
}

}  // namespace

int jpeg_orientation(std::string_view bytes) {
  constexpr std::string_view kExif("Exif\0\0", 6);
  constexpr std::uint32_t kApp1 = 0xE1, kStartOfScan = 0xDA;
  const Numbers numbers(bytes, true);
  std::size_t at = 2;  // after the mark that begins every file
  while (numbers.holds(at, 4) && numbers.number(at, 1) == 0xFF) {
    const std::uint32_t mark = numbers.number(at + 1, 1);
    const std::size_t length = numbers.number(at + 2, 2);
    if (mark == kStartOfScan || length < 2 || !numbers.holds(at + 2, length)) break;
    const std::string_view part = bytes.substr(at + 4, length - 2);
    if (mark == kApp1 && part.starts_with(kExif)) {
      return tiff_orientation(part.substr(kExif.size()));
    }
    at += 2 + length;
  }
  return kUpright;
}

Pixels upright(Pixels pixels, int orientation) {
  if (orientation == kUpright) return pixels;
  const bool swapped = swaps_sides(orientation);
  const Index height = swapped ? pixels.width : pixels.height;
  const Index width = swapped ? pixels.height : pixels.width;
  // Where each pixel is taken from: mirrored along the lines and the columns of the file.
  const bool last_line =
      orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
  const bool last_column =
      orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
  Pixels turned{height, width, pixels.channels, {}};
  turned.values.resize(pixels.values.size());
  auto to = turned.values.begin();
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) {
      Index line = swapped ? x : y, column = swapped ? y : x;
      if (swapped ? last_column : last_line) line = pixels.height - 1 - line;
      if (swapped ? last_line : last_column) column = pixels.width - 1 - column;
      const auto from = pixels.values.cbegin() + (line * pixels.width + column) * pixels.channels;
      to = std::copy_n(from, pixels.channels, to);
    }
  }
  return turned;
}

}  // namespace heed
