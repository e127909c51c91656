#include "fuzz/records.h"

namespace heed {

std::span<const std::string_view> fuzz::seeds() {
  static constexpr std::string_view kSeeds[] = {
      "# text = Go on\n1-2\tGo on\t_\t_\t_\t_\t_\t_\t_\t_\n1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n"
      "2\ton\ton\tADV\tRB\t_\t1\tadvmod\t_\t_\n2.1\tx\tx\tX\tX\t_\t_\t_\t_\t_\n\n",
      "-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\n# id = 1\n. . O O\n",
      "New York\tLOC\nis\tO\n", "word\n\nword\n"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* format : {"conllu", "conll", "lines", ""}) {
    heed::fuzz::read_tagged(data, size, format);
    heed::fuzz::read_tagged(data, size, format, {.tag = "xpos"});
    heed::fuzz::read_tagged(data, size, format, {.tag = "2", .count = 3});
  }
  return 0;
}
