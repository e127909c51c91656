#include "heed/data/utf8.h"

#include "fuzz/fuzz.h"

namespace heed {

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {"Grüße, 日本語, \U0001F600", "caf\xE9 \x93no\x94",
                                                "\xED\xA0\x80\xF4\x90\x80\x80"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return heed::fuzz::run(data, size, [](std::string bytes) {
    const bool valid = heed::valid_utf8(bytes);
    heed::fuzz::require(heed::repair_utf8(bytes) != valid, "only what is not valid is repaired");
    heed::fuzz::require(heed::valid_utf8(bytes), "what is repaired is valid");
    heed::fuzz::require(heed::valid_utf8(heed::shortened(bytes, 7)), "what is cut is valid");
  });
}
