#include "heed/data/lines.h"

#include "fuzz/fuzz.h"
#include "heed/data/utf8.h"

namespace heed {

std::span<const std::string_view> fuzz::seeds() {
  // The second is "hello\nworld\n" packed by gzip, twice.
  static constexpr char kPacked[] =
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\xe7\x2a\xcf\x2f\xca\x49\xe1\x02"
      "\x00\xa8\xf1\x36\x4d\x0c\x00\x00\x00\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9"
      "\xc9\xe7\x2a\xcf\x2f\xca\x49\xe1\x02\x00\xa8\xf1\x36\x4d\x0c\x00\x00\x00";
  static constexpr std::string_view kSeeds[] = {"\xEF\xBB\xBFone\r\ntwo\n\ncaf\xE9\n",
                                                std::string_view(kPacked, sizeof kPacked - 1),
                                                "\xFF\xFEh"};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return heed::fuzz::run(data, size, [](std::string bytes) {
    heed::LineReader asked(heed::ByteSource::memory("input", bytes));
    heed::LineReader lines(heed::ByteSource::memory("input", std::move(bytes)));
    heed::Index count = 0;
    lines.peek(2);
    std::string same;
    for (std::string line; lines.next(line);) {
      heed::fuzz::require(asked.ready(static_cast<std::size_t>(count % 3)), "memory is ready");
      heed::fuzz::require(asked.next(same) && same == line, "asking changes nothing");
      heed::fuzz::require(lines.line() == ++count, "lines are counted from 1");
      heed::fuzz::require(heed::valid_utf8(line), "a line is valid UTF-8");
      heed::fuzz::require(line.find('\n') == std::string::npos, "a line has no end in it");
    }
  });
}
