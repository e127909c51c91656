#include "fuzz/records.h"

namespace heed {

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      "text,label\n\"a, \"\"b\"\"\",x\r\n\"two\nlines\",y\n", "id;Category;Review\n1;good;fine\n",
      "text,labels\na,x|y\nb,\n", "premise,hypothesis,label\na,b,x\n",
      "label\ttext\na\t\"stray\nb\t\"c\"\n"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return heed::fuzz::read_texts(data, size, "csv");
}
