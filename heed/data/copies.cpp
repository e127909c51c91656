#include "heed/data/copies.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "heed/base/random.h"
#include "heed/data/text/columns.h"

namespace heed {
namespace {

class ContentKey {
 public:
  void operator()(const Text& text) {
    add(trimmed(text.text));
    if (text.second) add(trimmed(*text.second));
  }
  void operator()(const Sentence& sentence) {
    for (const std::string& word : sentence.words) add(word);
  }
  void operator()(const Recording& recording) {
    add(*recording.file);
    add(static_cast<std::uint64_t>(std::llround(1e6 * recording.begin)));
    add(static_cast<std::uint64_t>(std::llround(1e6 * recording.end)));
    if (recording.sound == nullptr) return;
    const auto bytes = std::as_bytes(std::span(recording.sound->samples));
    add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  void operator()(const Picture& picture) {
    add(*picture.file);
    if (picture.pixels == nullptr) return;
    add(static_cast<std::uint64_t>(picture.pixels->width));
    const auto& values = picture.pixels->values;
    add({reinterpret_cast<const char*>(values.data()), values.size()});
  }
  std::uint64_t value() const { return value_; }

 private:
  void add(std::uint64_t number) { value_ = mix(value_, number); }
  void add(std::string_view bytes) {
    add(std::uint64_t{bytes.size()});
    for (std::size_t begin = 0; begin < bytes.size(); begin += 8) {
      std::uint64_t block = 0;
      for (std::size_t i = begin; i < std::min(begin + 8, bytes.size()); ++i) {
        block = block << 8 | static_cast<unsigned char>(bytes[i]);
      }
      add(block);
    }
  }

  std::uint64_t value_ = 0;
};

}  // namespace

std::uint64_t content_key(const Content& content) {
  ContentKey key;
  std::visit(key, content);
  return key.value();
}

// Sorted keys, 16 bytes a record: a map took 110, which is as much as a line of text.
std::vector<std::vector<Index>> copies_of(const Dataset& data) {
  std::vector<std::pair<std::uint64_t, Index>> keys;
  keys.reserve(data.records.size());
  for (Index i = 0; i < data.size(); ++i) keys.emplace_back(content_key(data[i].content), i);
  std::sort(keys.begin(), keys.end());
  std::vector<std::vector<Index>> copies;
  for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
    while (end < keys.size() && keys[end].first == keys[begin].first) ++end;
    if (end - begin < 2) continue;
    std::vector<Index>& members = copies.emplace_back();
    for (std::size_t i = begin; i < end; ++i) members.push_back(keys[i].second);
  }
  std::sort(copies.begin(), copies.end());
  return copies;
}

}  // namespace heed
