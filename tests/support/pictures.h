#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/record.h"

// Pictures for tests, written from the definitions of their formats and not by the libraries that
// read them.
namespace heed::test {

inline std::string big_endian(std::uint32_t number) {
  return {static_cast<char>(number >> 24), static_cast<char>(number >> 16),
          static_cast<char>(number >> 8), static_cast<char>(number)};
}

inline std::string png_chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const auto sum = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(sum);
}

// The colour types of PNG: 0 grey, 2 colour, 3 palette, 4 grey and 6 colour with transparency.
struct PngParts {
  std::uint32_t width = 1, height = 1;
  int depth = 8, type = 0;
  std::string lines = {};    // each begins with a byte 0: no filter
  std::string palette = {};  // red, green, blue for each number
};

inline std::string png_file(const PngParts& parts) {
  std::string packed(compressBound(parts.lines.size()), '\0');
  uLongf size = packed.size();
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(parts.lines.data()), parts.lines.size());
  packed.resize(size);
  const std::string header = big_endian(parts.width) + big_endian(parts.height) +
                             static_cast<char>(parts.depth) + static_cast<char>(parts.type) +
                             std::string(3, '\0');
  return std::string("\x89PNG\r\n\x1A\n", 8) + png_chunk("IHDR", header) +
         (parts.palette.empty() ? "" : png_chunk("PLTE", parts.palette)) +
         png_chunk("IDAT", packed) + png_chunk("IEND", "");
}

// Grey or colour, 8 bits.
inline std::string png_file(const Pixels& pixels) {
  PngParts parts{.width = static_cast<std::uint32_t>(pixels.width),
                 .height = static_cast<std::uint32_t>(pixels.height),
                 .type = pixels.channels == 1 ? 0 : 2};
  const Index line = pixels.width * pixels.channels;
  for (Index y = 0; y < pixels.height; ++y) {
    parts.lines += '\0';
    parts.lines.append(reinterpret_cast<const char*>(pixels.values.data()) + y * line,
                       static_cast<std::size_t>(line));
  }
  return png_file(parts);
}

// Any number of dimensions of bytes.
inline std::string idx_file(const std::vector<Index>& sizes, const std::string& bytes) {
  std::string file("\0\0\x08", 3);
  file += static_cast<char>(sizes.size());
  for (const Index size : sizes) file += big_endian(static_cast<std::uint32_t>(size));
  return file + bytes;
}

inline Pixels random_pixels(Index height, Index width, Index channels, std::uint64_t key) {
  Random random(key);
  Pixels pixels{height, width, channels, {}};
  for (Index i = 0; i < height * width * channels; ++i) {
    pixels.values.push_back(static_cast<std::uint8_t>(random.below(256)));
  }
  return pixels;
}

// A picture in memory, in one colour.
inline Picture plain_picture(Index height, Index width, std::vector<std::uint8_t> colour) {
  Pixels pixels{height, width, std::ssize(colour), {}};
  for (Index i = 0; i < height * width; ++i) {
    pixels.values.insert(pixels.values.end(), colour.begin(), colour.end());
  }
  return {.pixels = std::make_shared<const Pixels>(std::move(pixels))};
}

}  // namespace heed::test
