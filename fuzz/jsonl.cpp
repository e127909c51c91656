#include "fuzz/records.h"

namespace heed {

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      "{\"text\": \"a\\u00e9\\n\", \"label\": \"x\", \"z\": [1, {\"y\": null}]}\n{\"label\": "
      "3.5e3, \"text\": \"\"}\n",
      "{\"label\": true, \"text\": \"b\"}\r\n\n", "[{\"text\": 1}]",
      "{\"text\": \"a\", \"labels\": [\"x\", 2, \"x\"]}\n"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return heed::fuzz::read_texts(data, size, "jsonl");
}
