#include "fuzz/records.h"

namespace heed {

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {"__label__a buy now\n\n__label__b\tgo\n",
                                                "__label__a __label__b c\n", "__label__ d\n"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return heed::fuzz::read_texts(data, size, "fasttext");
}
