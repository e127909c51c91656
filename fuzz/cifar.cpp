#include "heed/data/image/cifar.h"

#include "fuzz/fuzz.h"

namespace heed {

// A picture is longer than what is grown here, so the bytes are repeated.
std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {"\1abcdefghijklmnop", "\1\2\3"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using heed::CifarSource;
  for (const auto classes : {CifarSource::Classes::kTen, CifarSource::Classes::kHundred}) {
    heed::fuzz::run(data, size, [&](const std::string& bytes) {
      std::string longer;
      while (!bytes.empty() && longer.size() < 7000) longer += bytes;
      CifarSource source(heed::ByteSource::memory("input", longer), classes);
      for (heed::Record record; source.next(record);) {
        heed::fuzz::require(std::get<heed::Picture>(record.content).pixels->values.size() == 3072,
                            "a picture has 32 x 32 pixels in colour");
      }
    });
  }
  return 0;
}
