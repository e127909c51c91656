#include "fuzz/fuzz.h"
#include "heed/data/image/decode.h"

namespace heed {

using namespace std::string_view_literals;

// 8 x 8 grey pixels: a table of ones to divide by, the frame, two Huffman tables of one code each,
// and a scan of two bits; then the same in three components.
std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      "\xff\xd8\xff\xdb\0\x43\0"
      "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"
      "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"
      "\xff\xc0\0\x0b\x08\0\x08\0\x08\1\1\x11\0"
      "\xff\xc4\0\x14\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "\xff\xc4\0\x14\x10\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "\xff\xda\0\x08\1\1\0\0\x3f\0\x3f\xff\xd9"sv,
      "\xff\xd8\xff\xdb\0\x43\0"
      "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"
      "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"
      "\xff\xc0\0\x11\x08\0\x08\0\x08\3\1\x11\0\2\x11\0\3\x11\0"
      "\xff\xc4\0\x14\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "\xff\xc4\0\x14\x10\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
      "\xff\xda\0\x0c\3\1\0\2\0\3\0\0\x3f\0\3\xff\xd9"sv};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A frame may announce any size, and decoding it takes as long: only sizes up to a million pixels
  // are decoded here.
  return heed::fuzz::run(data, size, [](const std::string& bytes) {
    const heed::Pixels header = heed::jpeg_header("input", bytes);
    if (header.height * header.width > 1'000'000) return;
    const heed::Pixels pixels = heed::decode_jpeg("input", bytes, {4, 4});
    heed::fuzz::require(std::ssize(pixels.values) == pixels.height * pixels.width * pixels.channels,
                        "there are as many values as pixels and channels");
  });
}
