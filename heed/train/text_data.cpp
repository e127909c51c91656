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
  for (const Index member : members) {
    const auto i = static_cast<std::size_t>(member);
    part.places.push_back(places[i]);
    if (kind == OutputKind::kLabel) {
      part.texts.push_back(texts[i]);
      part.labels.push_back(labels[i]);
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
      for (LabelledText& example : file.examples) {
        data.places.push_back(example.place());
        data.texts.push_back(std::move(example.text));
        data.labels.push_back(std::move(example.label));
      }
    } else {
      TaggedFile file = read_all_tagged(path, options);
      data.repaired += file.repaired;
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
      throw FormatError(fmt::format(
          "{}: the class \"{}\" has a single example; give it at least two, or leave it out",
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

Split split(const TextData& data, double share, std::uint64_t seed) {
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
  for (const auto& sentence : data.words) {
    for (const std::string& word : sentence) add(word);
  }
  for (const auto& sentence : data.tags) {
    for (const std::string& tag : sentence) add(tag);
  }
  return value;
}

}  // namespace heed
