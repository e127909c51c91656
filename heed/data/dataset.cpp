#include "heed/data/dataset.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <map>
#include <span>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/data/copies.h"
#include "heed/data/open.h"
#include "heed/data/pairs.h"
#include "heed/data/text/columns.h"

namespace heed {
namespace {

// By what a split keeps shares: the label, where there is one; of several the rarest.
// The names are those in the records.
std::vector<std::string_view> classes_of(const Dataset& data) {
  std::map<std::string, Index> counts;
  for (const Record& record : data.records) {
    const auto* labels = std::get_if<Labels>(&record.answer);
    if (labels == nullptr) continue;
    for (const std::string& name : labels->names) ++counts[name];
  }
  std::vector<std::string_view> classes;
  classes.reserve(data.records.size());
  for (const Record& record : data.records) {
    std::string_view& name = classes.emplace_back();
    if (const auto* label = std::get_if<Label>(&record.answer)) name = label->name;
    const auto* labels = std::get_if<Labels>(&record.answer);
    if (labels == nullptr || labels->names.empty()) continue;
    name = *std::min_element(
        labels->names.begin(), labels->names.end(),
        [&](const std::string& a, const std::string& b) { return counts[a] < counts[b]; });
  }
  return classes;
}

Random split_random(std::uint64_t seed) { return Random(mix(seed, 0x5917)); }

struct Group {
  std::string name;
  std::vector<Index> members;
};

// In the order of the data; records without a group each alone.
std::vector<Group> groups_of(const Dataset& data) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (Index i = 0; i < data.size(); ++i) {
    const std::string& name = data[i].extras->group;
    std::size_t place = groups.size();
    if (!name.empty()) place = known.try_emplace(name, place).first->second;
    if (place == groups.size()) groups.push_back({name, {}});
    groups[place].members.push_back(i);
  }
  return groups;
}

const Group& largest_of(const std::vector<Group>& groups) {
  return *std::max_element(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.members.size() < b.members.size();
  });
}

Split split_groups(const Dataset& data, double share, std::uint64_t seed) {
  std::vector<Group> groups = groups_of(data);
  Random random = split_random(seed);
  shuffle(groups, random);
  const std::vector<std::string_view> classes = classes_of(data);
  std::map<std::string_view, Index>
      left;  // records of each label that are still to be learned from
  for (const std::string_view name : classes) ++left[name];
  const double wanted = share * static_cast<double>(data.size());
  Split result;
  for (const Group& group : groups) {
    std::map<std::string_view, Index> lost;
    for (const Index member : group.members) ++lost[classes[static_cast<std::size_t>(member)]];
    const bool spares = std::all_of(lost.begin(), lost.end(), [&](const auto& label) {
      return left[label.first] > label.second;
    });
    // Where it brings the share nearer to what is wanted.
    const double half = 0.5 * static_cast<double>(group.members.size());
    const bool out = spares && static_cast<double>(result.held_out.size()) + half <= wanted;
    std::vector<Index>& side = out ? result.held_out : result.train;
    side.insert(side.end(), group.members.begin(), group.members.end());
    for (const auto& [label, count] : lost) left[label] -= out ? count : 0;
  }
  // Half of what is wanted will do; nearly everything in one group will not.
  const Group& largest = largest_of(groups);
  if (2.0 * static_cast<double>(result.held_out.size()) < wanted ||
      static_cast<double>(largest.members.size()) > 0.9 * static_cast<double>(data.size())) {
    throw FormatError(fmt::format(
        "{}: {} of {} examples are in the group \"{}\", and a group stays together, so that {:.0f} "
        "% cannot be held out; choose another --group-column, or give --dev",
        data[largest.members.front()].place.text(), largest.members.size(), data.size(),
        largest.name, 100.0 * share));
  }
  return result;
}

Split split_classes(const Dataset& data, double share, std::uint64_t seed) {
  const std::vector<std::string_view> names = classes_of(data);
  std::map<std::string_view, std::vector<Index>> classes;
  for (Index i = 0; i < data.size(); ++i) {
    classes[names[static_cast<std::size_t>(i)]].push_back(i);
  }
  Split result;
  Random random = split_random(seed);
  for (auto& [name, members] : classes) {
    shuffle(members, random);
    // At least one of each class on either side.
    const auto count = static_cast<Index>(members.size());
    const Index out = std::clamp<Index>(std::llround(share * static_cast<double>(count)),
                                        count > 1 ? 1 : 0, std::max<Index>(0, count - 1));
    result.held_out.insert(result.held_out.end(), members.begin(), members.begin() + out);
    result.train.insert(result.train.end(), members.begin() + out, members.end());
  }
  return result;
}

// Whether there is nothing in a content that could be remembered.
bool is_blank(const Content& content) {
  const auto* text = std::get_if<Text>(&content);
  return text != nullptr && trimmed(text->text).empty() && trimmed(*text->second).empty();
}

// Copies of a content go to the side where the first of them is; to the training side where a class
// would have nothing left to learn from. Empty texts stay where they are: all on one side, they
// would make the other too easy.
void keep_copies_together(const Dataset& data, Split& parts) {
  const std::vector<std::vector<Index>> copies = copies_of(data);
  if (copies.empty()) return;
  const std::vector<std::string_view> classes = classes_of(data);
  std::vector<bool> out(data.records.size());
  std::map<std::string_view, Index> left;
  for (const Index i : parts.held_out) out[static_cast<std::size_t>(i)] = true;
  for (const Index i : parts.train) ++left[classes[static_cast<std::size_t>(i)]];
  for (const std::vector<Index>& members : copies) {
    if (is_blank(data[members.front()].content)) continue;
    bool to_out = out[static_cast<std::size_t>(members.front())];
    std::map<std::string_view, Index> lost;
    for (const Index i : members) {
      if (!out[static_cast<std::size_t>(i)]) ++lost[classes[static_cast<std::size_t>(i)]];
    }
    for (const auto& [name, count] : lost) to_out = to_out && left[name] > count;
    for (const Index i : members) {
      const auto at = static_cast<std::size_t>(i);
      if (out[at] != to_out) left[classes[at]] += to_out ? -1 : 1;
      out[at] = to_out;
    }
  }
  // Where all are copies of a few, some of those have to be on both sides.
  if (std::find(out.begin(), out.end(), true) == out.end()) return;
  parts = {};
  for (Index i = 0; i < data.size(); ++i) {
    (out[static_cast<std::size_t>(i)] ? parts.held_out : parts.train).push_back(i);
  }
}

// Whether the content is a file that is read later.
bool is_file(const Content& content) {
  const auto* recording = std::get_if<Recording>(&content);
  const auto* picture = std::get_if<Picture>(&content);
  return (recording != nullptr && recording->sound == nullptr) ||
         (picture != nullptr && picture->pixels == nullptr);
}

// A hash over bytes and their borders, eight at a time, the lowest first whatever the platform.
class Fingerprint {
 public:
  void add(std::uint64_t number) { value_ = mix(value_, number); }
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    for (std::size_t begin = 0; begin < bytes.size(); begin += 8) {
      std::uint64_t block = 0;
      for (std::size_t i = begin; i < std::min(begin + 8, bytes.size()); ++i) {
        block |= std::uint64_t{std::to_integer<std::uint8_t>(bytes[i])} << (8 * (i - begin));
      }
      add(block);
    }
  }
  void add(const std::string& text) { add(std::as_bytes(std::span(text))); }
  void add(const std::vector<std::string>& texts) {
    add(texts.size());
    for (const std::string& text : texts) add(text);
  }
  void add(std::monostate) {}
  void add(const Text& text) {
    add(text.text);
    if (text.second) add(*text.second);
  }
  void add(const Sentence& sentence) { add(sentence.words); }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  // Of a file, its name and size: reading thousands of hours to notice a change takes too long.
  void add(const Recording& recording) {
    add(std::filesystem::path(*recording.file).filename().string());
    add(recording.begin);
    add(recording.end);
    if (recording.sound == nullptr) return;
    add(recording.sound->rate);
    add(std::as_bytes(std::span(recording.sound->samples)));
  }
  void add(const Picture& picture) {
    add(std::filesystem::path(*picture.file).filename().string());
    if (picture.pixels == nullptr) return;
    add(static_cast<std::uint64_t>(picture.pixels->height));
    add(static_cast<std::uint64_t>(picture.pixels->width));
    add(std::as_bytes(std::span(picture.pixels->values)));
  }
  void add(const Label& label) { add(label.name); }
  void add(const Labels& labels) { add(labels.names); }
  void add(const Tags& tags) { add(tags.names); }
  void add(const Spans& spans) {
    add(spans.spans.size());
    for (const Span& span : spans.spans) {
      add(span.begin);
      add(span.end);
      add(span.name);
    }
  }
  void add(const Mask& mask) { add(*mask.picture); }
  void add(const Sequence& sequence) { add(sequence.text); }

  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace

Dataset read_dataset(const std::vector<std::string>& paths, const ReadOptions& options) {
  Dataset data;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const std::string& path = paths[i];
    std::unique_ptr<RecordSource> source;
    if (is_in_two_files(path, options)) {
      source = open_aligned(path, i + 1 < paths.size() ? paths[++i] : std::string(), options);
    } else {
      source = open_records(path, options);
    }
    const std::size_t before = data.records.size();
    for (Record record; source->next(record);) data.records.push_back(std::move(record));
    if (data.records.size() == before) throw FormatError(path + ": has no examples");
    data.repaired += source->repaired();
    if (&path == &paths.front()) data.columns = source->columns();
  }
  return data;
}

Split split(const Dataset& data, double share, std::uint64_t seed) {
  const bool grouped =
      std::any_of(data.records.begin(), data.records.end(),
                  [](const Record& record) { return !record.extras->group.empty(); });
  Split result = grouped ? split_groups(data, share, seed) : split_classes(data, share, seed);
  if (!grouped) keep_copies_together(data, result);
  std::sort(result.train.begin(), result.train.end());
  std::sort(result.held_out.begin(), result.held_out.end());
  return result;
}

std::pair<Dataset, Dataset> divide(Dataset data, const Split& split) {
  Dataset train, held_out;
  train.columns = held_out.columns = data.columns;
  auto next = split.held_out.begin();
  // From the front, so that what has moved frees its memory as the two sides grow.
  for (Index i = 0; !data.records.empty(); ++i) {
    const bool out = next != split.held_out.end() && *next == i;
    if (out) ++next;
    (out ? held_out : train).records.push_back(std::move(data.records.front()));
    data.records.pop_front();
  }
  return {std::move(train), std::move(held_out)};
}

void keep_some(Dataset& data, Index most) {
  if (most == 0 || data.size() <= most) return;
  const double share = static_cast<double>(most) / static_cast<double>(data.size());
  std::map<std::string_view, Index> seen;
  std::vector<bool> keeps;
  for (const std::string_view name : classes_of(data)) {
    // The first of each class, and those where i · share passes a whole number.
    const auto i = static_cast<double>(seen[name]++);
    keeps.push_back(i == 0.0 || std::floor(i * share) != std::floor((i - 1.0) * share));
  }
  // Copies, close together: texts that stay where they are, one in ten, would hold on to the memory
  // of the others.
  std::deque<Record> kept;
  for (std::size_t i = 0; i < keeps.size(); ++i) {
    if (keeps[i]) kept.push_back(data.records[i]);
  }
  data.records = std::move(kept);
}

std::uint64_t fingerprint(const Dataset& data) {
  Fingerprint all;
  all.add(static_cast<std::uint64_t>(data.size()));
  for (const Record& record : data.records) {
    all.add(record.content.index());
    std::visit([&](const auto& content) { all.add(content); }, record.content);
    all.add(record.answer.index());
    std::visit([&](const auto& answer) { all.add(answer); }, record.answer);
    all.add(record.extras->group);
    if (is_file(record.content)) all.add(static_cast<std::uint64_t>(content_bytes(record)));
  }
  return all.value();
}

}  // namespace heed
