#include "fuzz/records.h"

namespace heed {

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      "text,label\na,b\n", "{\"text\": \"a\", \"label\": \"x\"}\n", "__label__a b\n",
      "\n\nsentence\tclass\n1\t2\n", "1\tSo\tso\tADV\tRB\t_\t0\troot\t_\t_\n"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return heed::fuzz::read_texts(data, size, "");
}
