#include "fuzz/fuzz.h"
#include "heed/data/image/decode.h"

namespace heed {

using namespace std::string_view_literals;

// 2 x 1 pixels in grey with 8 bits, and 8 x 1 with a palette and 1 bit.
std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\1\b\0\0\0\0\xd1\x8b\xb4\xa3"
      "\0\0\0\vIDATx\x9c\x63\x60\x60\xf8\x0f\0\x01\x03\x01\0\x19\x34\x48\x5b"
      "\0\0\0\0IEND\xae\x42\x60\x82"sv,
      "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\b\0\0\0\1\1\3\0\0\0\xfe\xc1\x2c\xc8"
      "\0\0\0\6PLTE\0\0\0\xff\xff\xff\xa5\xd9\x9f\xdd"sv};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using heed::Palette;
  for (const Palette palette : {Palette::kColours, Palette::kNumbers}) {
    heed::fuzz::run(data, size, [&](const std::string& bytes) {
      const heed::Pixels pixels = heed::decode_png("input", bytes, palette);
      heed::fuzz::require(
          std::ssize(pixels.values) == pixels.height * pixels.width * pixels.channels,
          "there are as many values as pixels and channels");
    });
  }
  return 0;
}
