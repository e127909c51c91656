#include <algorithm>

#include "fuzz/fuzz.h"
#include "heed/data/pairs.h"
#include "heed/data/text/columns.h"
#include "heed/data/utf8.h"

namespace heed {

std::span<const std::string_view> fuzz::seeds() {
  using namespace std::string_view_literals;
  // What is before the first 0 is one file, what is behind it the other.
  static constexpr std::string_view kSeeds[] = {"one\n\ntwo\n\0eins\n\nzwei\n"sv,
                                                "one\r\ntwo\0\xEF\xBB\xBF eins\nzw\xE9i\n\n"sv,
                                                "one\n\n\0eins\nzwei\n"sv};
  return kSeeds;
}

}  // namespace heed

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heed;
  return fuzz::run(data, size, [](std::string bytes) {
    const std::size_t border = std::min(bytes.find('\0'), bytes.size());
    std::string other = border < bytes.size() ? bytes.substr(border + 1) : std::string();
    bytes.resize(border);
    AlignedLines lines(LineReader(ByteSource::memory("source", std::move(bytes))),
                       LineReader(ByteSource::memory("target", std::move(other))));
    Index line = 0;
    for (Record record; lines.next(record);) {
      const auto* source = std::get_if<Text>(&record.content);
      const auto* target = std::get_if<Sequence>(&record.answer);
      fuzz::require(source != nullptr && target != nullptr, "a text and what is written for it");
      fuzz::require(valid_utf8(source->text) && valid_utf8(target->text), "both are valid UTF-8");
      fuzz::require(!trimmed(source->text).empty() && !trimmed(target->text).empty(),
                    "neither is empty");
      fuzz::require(record.place.line > line, "pairs come in the order of their lines");
      line = record.place.line;
    }
  });
}
