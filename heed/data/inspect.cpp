#include "heed/data/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "heed/base/display.h"
#include "heed/base/utf8.h"
#include "heed/data/copies.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

// The names of an answer in one text, to compare and to show; of texts to be written, nothing: a
// text may have several translations.
std::string answer_names(const Answer& answer) {
  if (const auto* label = std::get_if<Label>(&answer)) return label->name;
  const auto joined = [](std::vector<std::string> names, bool ordered) {
    if (!ordered) std::sort(names.begin(), names.end());
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
    return all;
  };
  if (const auto* labels = std::get_if<Labels>(&answer)) return joined(labels->names, false);
  if (const auto* tags = std::get_if<Tags>(&answer)) return joined(tags->names, true);
  return {};
}

// Calls take(name) with every name in an answer.
template <typename Take>
void each_answer(const Answer& answer, const Take& take) {
  if (const auto* label = std::get_if<Label>(&answer)) take(label->name);
  if (const auto* labels = std::get_if<Labels>(&answer)) {
    for (const std::string& name : labels->names) take(name);
  }
  if (const auto* tags = std::get_if<Tags>(&answer)) {
    for (const std::string& name : tags->names) take(name);
  }
}

void count_classes(const Dataset& data, Inspection& found) {
  std::unordered_map<std::string, Inspection::Class> classes;
  for (const Record& record : data.records) {
    bool any = false;
    each_answer(record.answer, [&](const std::string& name) {
      Inspection::Class& one = classes[name];
      if (one.count++ == 0) {
        one.name = name;
        one.first = record.place;
      }
      any = true;
    });
    const bool names = std::holds_alternative<std::monostate>(record.answer) ||
                       std::holds_alternative<Labels>(record.answer);
    found.unanswered += names && !any ? 1 : 0;
    const auto* label = std::get_if<Label>(&record.answer);
    if (label != nullptr && label->name.find_first_of("|;,") != std::string::npos) {
      found.listed.add(record);
    }
  }
  for (auto& [name, one] : classes) found.classes.push_back(std::move(one));
  std::sort(found.classes.begin(), found.classes.end(),
            [](const Inspection::Class& a, const Inspection::Class& b) {
              return a.count != b.count ? a.count > b.count : a.name < b.name;
            });
}

void find_copies(const Dataset& data, Inspection& found) {
  for (const std::vector<Index>& members : copies_of(data)) {
    ++found.repeated;
    found.copies += std::ssize(members);
    const Record& first = data[members.front()];
    const std::string name = answer_names(first.answer);
    const auto other = std::find_if(members.begin(), members.end(),
                                    [&](Index i) { return answer_names(data[i].answer) != name; });
    if (other == members.end()) continue;
    found.conflicting += std::ssize(members);
    if (found.conflicts++ > 0) continue;
    found.conflict = {first.place, data[*other].place};
    found.conflict_names = {name, answer_names(data[*other].answer)};
  }
}

// What a text may have that hints at bytes read in the wrong way.
struct Oddities {
  bool replaced = false, control = false, invisible = false, mojibake = false;
  Index characters = 0, words = 0;
};

Oddities look_at(std::string_view text) {
  Oddities odd;
  std::uint32_t before = 0;
  bool in_word = false;
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::uint32_t code = character.code;
    text.remove_prefix(std::max<std::size_t>(1, character.bytes));
    ++odd.characters;
    const bool space = code == ' ' || (code >= '\t' && code <= '\r') || code == 0xA0;
    if (!space && !in_word) ++odd.words;
    in_word = !space;
    odd.replaced = odd.replaced || code == 0xFFFD;
    odd.control = odd.control || (code < 0x20 && !space) || (code >= 0x7F && code < 0xA0);
    odd.invisible = odd.invisible || code == 0xFEFF || (code >= 0x200B && code <= 0x200F) ||
                    (code >= 0x202A && code <= 0x202E);
    // The first byte of a UTF-8 character and one that follows it, each as a letter; "â€".
    odd.mojibake = odd.mojibake ||
                   ((before == 0xC3 || before == 0xC2) && code >= 0x80 && code <= 0xBF) ||
                   (before == 0xE2 && code == 0x20AC);
    before = code;
  }
  return odd;
}

// How often each size occurs, and in which record first: sizes are few, records may be millions.
class SizeCounts {
 public:
  void add(Index size, Index record) {
    ++counts_.try_emplace(size, Counted{0, record}).first->second.count;
  }

  Inspection::Sizes summary(const Dataset& data) const {
    if (counts_.empty()) return {};
    Index all = 0;
    for (const auto& [size, counted] : counts_) all += counted.count;
    auto median = counts_.begin();
    for (Index below = median->second.count; below <= all / 2; below += median->second.count)
      ++median;
    const auto& [longest, counted] = *counts_.rbegin();
    return {counts_.begin()->first, median->first, longest, data[counted.first].place};
  }

 private:
  struct Counted {
    Index count, first;
  };
  std::map<Index, Counted> counts_;
};

void look_at_texts(const Dataset& data, Inspection& found) {
  SizeCounts words, characters;
  for (Index i = 0; i < data.size(); ++i) {
    const Record& record = data[i];
    Oddities all;
    const auto add = [&](std::string_view text) {
      const Oddities odd = look_at(text);
      all.replaced |= odd.replaced;
      all.control |= odd.control;
      all.invisible |= odd.invisible;
      all.mojibake |= odd.mojibake;
      all.characters += odd.characters;
      all.words += odd.words;
    };
    if (const auto* text = std::get_if<Text>(&record.content)) {
      add(text->text);
      if (text->second) add(*text->second);
    } else if (const auto* sentence = std::get_if<Sentence>(&record.content)) {
      for (const std::string& word : sentence->words) add(word);
      all.words = std::ssize(sentence->words);
    } else {
      continue;
    }
    if (all.words == 0) found.empty.add(record);
    if (all.replaced) found.replaced.add(record);
    if (all.control) found.control.add(record);
    if (all.invisible) found.invisible.add(record);
    if (all.mojibake) found.mojibake.add(record);
    words.add(all.words, i);
    characters.add(all.characters, i);
  }
  found.words = words.summary(data);
  found.characters = characters.summary(data);
}

// "\"a\", \"b\" and 12 more".
std::string few_names(const std::vector<const Inspection::Class*>& classes) {
  constexpr std::size_t kFew = 3;
  std::string all;
  for (std::size_t i = 0; i < std::min(kFew, classes.size()); ++i) {
    all += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", shortened(classes[i]->name));
  }
  if (classes.size() > kFew)
    all += fmt::format(" and {} more", with_commas(std::ssize(classes) - 3));
  return all;
}

std::string label_column(const Dataset& data) {
  return data.columns.label.empty() ? "is it the label"
                                    : fmt::format("is \"{}\" the label column", data.columns.label);
}

}  // namespace

std::vector<const Inspection::Class*> Inspection::single() const {
  std::vector<const Class*> rare;
  for (const Class& one : classes) {
    if (one.count == 1) rare.push_back(&one);
  }
  return rare;
}

bool Inspection::one_class_each() const {
  constexpr Index kFewest = 10;  // of three texts each may well be of its own class
  return records >= kFewest && std::ssize(classes) == records && classes.front().count == 1;
}

Inspection inspect(const Dataset& data) {
  Inspection found;
  found.records = data.size();
  found.repaired = data.repaired;
  count_classes(data, found);
  find_copies(data, found);
  look_at_texts(data, found);
  return found;
}

std::vector<std::string> warnings(const Inspection& found, const Dataset& data) {
  std::vector<std::string> all;
  const bool tags = data.size() > 0 && std::holds_alternative<Tags>(data[0].answer);
  const Index classes = std::ssize(found.classes);
  const auto add = [&]<typename... Values>(fmt::format_string<Values...> text, Values&&... values) {
    all.push_back(fmt::format(text, std::forward<Values>(values)...));
  };
  const std::vector<const Inspection::Class*> single = found.single();
  if (found.one_class_each()) {
    add("every example has a label of its own ({} labels, such as {}): {}? choose another with "
        "--label-column",
        with_commas(classes), few_names(single), label_column(data));
  } else if (!tags && classes >= 20 && 2 * classes > found.records) {
    add("{} different labels on {} examples: {}? choose another with --label-column",
        with_commas(classes), with_commas(found.records), label_column(data));
  } else if (!tags && !single.empty()) {
    add("classes with a single example: {} ({}); one can be learned, but not measured",
        with_commas(std::ssize(single)), few_names(single));
  }
  if (10 * found.listed.count > found.records && classes > 10) {
    add("{} labels look like several with a mark between, the first at {}; heed train label learns "
        "several labels at once",
        with_commas(found.listed.count), found.listed.first.text());
  }
  if (found.conflicts > 0) {
    add("contents with different answers: {}, {} examples in all; the first is {} "
        "(\"{}\") and {} (\"{}\")",
        with_commas(found.conflicts), with_commas(found.conflicting), found.conflict.first.text(),
        shortened(found.conflict_names.first), found.conflict.second.text(),
        shortened(found.conflict_names.second));
  }
  if (found.repeated > 0) {
    add("contents that occur more than once: {}, {} examples in all", with_commas(found.repeated),
        with_commas(found.copies));
  }
  const auto odd = [&](const Inspection::Found& what, const char* sentence) {
    if (what.count > 0)
      add("{}: {}, the first at {}", sentence, with_commas(what.count), what.first.text());
  };
  odd(found.empty, "texts without a word");
  odd(found.replaced, "texts with � in place of what was lost");
  odd(found.control, "texts with control characters");
  odd(found.mojibake, "texts that look like UTF-8 read as Latin-1 (Ã© in place of é)");
  return all;
}

Index shared_contents(const Dataset& data, const Dataset& others) {
  std::unordered_set<std::uint64_t> keys, shared;  // of the others, which are few
  for (const Record& record : others.records) keys.insert(content_key(record.content));
  for (const Record& record : data.records) {
    if (keys.empty()) break;
    const std::uint64_t key = content_key(record.content);
    if (keys.contains(key)) shared.insert(key);
  }
  return std::count_if(others.records.begin(), others.records.end(), [&](const Record& record) {
    return shared.contains(content_key(record.content));
  });
}

}  // namespace heed
