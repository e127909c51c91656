#include "heed/data/image/idx.h"

#include "fuzz/fuzz.h"

namespace heed {

using namespace std::string_view_literals;

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      "\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\2abcd"sv,
      "\0\0\x08\4\0\0\0\1\0\0\0\1\0\0\0\2\0\0\0\3abcdef"sv,
      "\0\0\x08\4\0\0\0\1\0\0\0\3\0\0\0\2\0\0\0\2abcdefghijkl"sv, "\0\0\x08\1\0\0\0\2ab"sv};
  return kSeeds;
}

namespace {

void read(const std::string& bytes, std::optional<IdxFile> labels) {
  IdxSource source(IdxFile(ByteSource::memory("input", bytes)), std::move(labels));
  Index line = 0;
  for (Record record; source.next(record);) {
    const Pixels& pixels = *std::get<Picture>(record.content).pixels;
    fuzz::require(std::ssize(pixels.values) == pixels.height * pixels.width * pixels.channels,
                  "there are as many values as pixels and channels");
    fuzz::require(record.place.line == ++line, "pictures are counted");
  }
}

}  // namespace
}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using heed::ByteSource;
  heed::fuzz::run(data, size, [](const std::string& bytes) { heed::read(bytes, {}); });
  return heed::fuzz::run(data, size, [](const std::string& bytes) {
    heed::read(bytes, heed::IdxFile(ByteSource::memory("labels", bytes)));
  });
}
