#include "heed/train/text_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "heed/base/random.h"
#include "heed/data/text/open.h"

namespace heed {

TextData TextData::select(const std::vector<Index>& members) const {
  TextData part;
  part.kind = kind;
  part.columns = columns;
  for (const Index member : members) {
    const auto i = static_cast<std::size_t>(member);
    part.places.push_back(places[i]);
    if (kind == OutputKind::kLabel) {
      part.texts.push_back(texts[i]);
      part.labels.push_back(labels[i]);
      if (!groups.empty()) part.groups.push_back(groups[i]);
    } else {
      part.words.push_back(words[i]);
      part.tags.push_back(tags[i]);
    }
  }
  return part;
}

TextData read_text_data(OutputKind kind, const std::vector<std::string>& paths,
                        const TextReadOptions& options) {
  TextData data;
  data.kind = kind;
  for (const std::string& path : paths) {
    if (kind == OutputKind::kLabel) {
      TextFile file = read_all_text(path, options);
      data.repaired += file.repaired;
      if (path == paths.front()) data.columns = std::move(file.columns);
      for (LabelledText& example : file.examples) {
        data.places.push_back(example.place());
        data.texts.push_back(std::move(example.text));
        data.labels.push_back(std::move(example.label));
        if (!options.group_column.empty()) data.groups.push_back(std::move(example.group));
      }
    } else {
      TaggedFile file = read_all_tagged(path, options);
      data.repaired += file.repaired;
      if (path == paths.front()) data.columns = std::move(file.columns);
      for (TaggedSentence& sentence : file.sentences) {
        data.places.push_back(sentence.place());
        data.words.push_back(std::move(sentence.words));
        data.tags.push_back(std::move(sentence.tags));
      }
    }
  }
  return data;
}

std::vector<std::string> answers_of(const TextData& data, bool will_be_split) {
  std::map<std::string, std::pair<Index, std::size_t>> seen;  // how often, and where first
  const auto count = [&](const std::string& answer, std::size_t example) {
    ++seen.try_emplace(answer, 0, example).first->second.first;
  };
  for (std::size_t i = 0; i < data.labels.size(); ++i) count(data.labels[i], i);
  for (std::size_t i = 0; i < data.tags.size(); ++i) {
    for (const std::string& tag : data.tags[i]) count(tag, i);
  }
  const char* what = data.kind == OutputKind::kLabel ? "class" : "tag";
  if (seen.size() < 2) {
    throw FormatError(fmt::format("{}: all examples have the {} \"{}\"; there must be at least two",
                                  data.places.front(), what, seen.begin()->first));
  }
  std::vector<std::string> names;
  for (const auto& [name, where] : seen) {
    if (will_be_split && data.kind == OutputKind::kLabel && where.first == 1) {
      throw FormatError(
          fmt::format("{}: the class \"{}\" has a single example, too few to hold one out; give it "
                      "at least two, "
                      "leave it out, or give --dev",
                      data.places[where.second], name));
    }
    names.push_back(name);
  }
  return names;
}

void check_answers(const TextData& data, const std::vector<std::string>& known,
                   const std::string& what) {
  const std::set<std::string> names(known.begin(), known.end());
  const auto check = [&](const std::string& answer, std::size_t example) {
    if (names.contains(answer)) return;
    throw FormatError(fmt::format("{}: \"{}\" is in the {} data, but never in the training data",
                                  data.places[example], answer, what));
  };
  for (std::size_t i = 0; i < data.labels.size(); ++i) check(data.labels[i], i);
  for (std::size_t i = 0; i < data.tags.size(); ++i) {
    for (const std::string& tag : data.tags[i]) check(tag, i);
  }
}

namespace {

struct Group {
  std::string name;
  std::vector<Index> members;
};

// In the order of the data; examples without a group each alone.
std::vector<Group> groups_of(const TextData& data) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (Index i = 0; i < data.size(); ++i) {
    const std::string& name = data.groups[static_cast<std::size_t>(i)];
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

Split split_groups(const TextData& data, double share, std::uint64_t seed) {
  std::vector<Group> groups = groups_of(data);
  Random random(mix(seed, 0x5917));
  for (std::size_t i = groups.size(); i > 1; --i) {
    std::swap(groups[i - 1], groups[random.below(static_cast<std::uint32_t>(i))]);
  }
  std::map<std::string, Index> left;  // examples of each class that are still to be learned from
  for (const std::string& label : data.labels) ++left[label];
  const double wanted = share * static_cast<double>(data.size());
  Split result;
  for (const Group& group : groups) {
    std::map<std::string, Index> lost;
    for (const Index member : group.members) ++lost[data.labels[static_cast<std::size_t>(member)]];
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
        data.places[static_cast<std::size_t>(largest.members.front())], largest.members.size(),
        data.size(), largest.name, 100.0 * share));
  }
  std::sort(result.train.begin(), result.train.end());
  std::sort(result.held_out.begin(), result.held_out.end());
  return result;
}

}  // namespace

Split split(const TextData& data, double share, std::uint64_t seed) {
  if (!data.groups.empty()) return split_groups(data, share, seed);
  std::map<std::string, std::vector<Index>> classes;
  for (Index i = 0; i < data.size(); ++i) {
    const bool labelled = data.kind == OutputKind::kLabel;
    classes[labelled ? data.labels[static_cast<std::size_t>(i)] : ""].push_back(i);
  }
  Split result;
  Random random(mix(seed, 0x5917));
  for (auto& [name, members] : classes) {
    for (std::size_t i = members.size(); i > 1; --i) {
      std::swap(members[i - 1], members[random.below(static_cast<std::uint32_t>(i))]);
    }
    // At least one of each class on either side.
    const auto count = static_cast<Index>(members.size());
    const Index out = std::clamp<Index>(std::llround(share * static_cast<double>(count)),
                                        count > 1 ? 1 : 0, std::max<Index>(0, count - 1));
    result.held_out.insert(result.held_out.end(), members.begin(), members.begin() + out);
    result.train.insert(result.train.end(), members.begin() + out, members.end());
  }
  std::sort(result.train.begin(), result.train.end());
  std::sort(result.held_out.begin(), result.held_out.end());
  return result;
}

std::uint64_t fingerprint(const TextData& data) {
  std::uint64_t value = mix(static_cast<std::uint64_t>(data.size()));
  const std::hash<std::string> hash;
  const auto add = [&](const std::string& text) { value = mix(value, hash(text)); };
  for (const std::string& text : data.texts) add(text);
  for (const std::string& label : data.labels) add(label);
  for (const std::string& group : data.groups) add(group);
  for (const auto& sentence : data.words) {
    for (const std::string& word : sentence) add(word);
  }
  for (const auto& sentence : data.tags) {
    for (const std::string& tag : sentence) add(tag);
  }
  return value;
}

}  // namespace heed
