#pragma once

#include <set>
#include <utility>

#include "fuzz/fuzz.h"
#include "heed/data/text/conll_lines.h"
#include "heed/data/text/open.h"
#include "heed/data/utf8.h"

namespace heed::fuzz {

// Calls `take` with each record of the bytes, first with the answers that must be there, then with
// those that may be missing.
template <typename Take>
void read_records(const std::uint8_t* data, std::size_t size, ReadOptions options, Take take) {
  for (const Answers answers : {Answers::kRequired, Answers::kOptional}) {
    options.answers = answers;
    run(data, size, [&](std::string bytes) {
      const auto source =
          open_text(LineReader(ByteSource::memory("input", std::move(bytes))), options);
      Index line = 0;
      for (Record record; source->next(record);) {
        require(record.place.file != nullptr && *record.place.file == "input",
                "a record knows its file");
        require(record.place.line > line, "records come in the order of their lines");
        line = record.place.line;
        take(record, answers);
      }
    });
  }
}

// Reads the bytes as labelled and as plain texts.
inline int read_texts(const std::uint8_t* data, std::size_t size, const char* format) {
  ReadOptions options;
  options.format = format;
  read_records(data, size, options, [](const Record& record, Answers answers) {
    const auto* text = std::get_if<Text>(&record.content);
    require(text != nullptr && valid_utf8(text->text), "texts are valid UTF-8");
    require(!std::holds_alternative<Tags>(record.answer), "a text has no tags");
    const auto* label = std::get_if<Label>(&record.answer);
    require(label != nullptr || answers == Answers::kOptional, "a label that must be there is");
    require(label == nullptr || (!label->name.empty() && valid_utf8(label->name)),
            "a label is not empty and valid UTF-8");
    require(record.extras->lines == nullptr, "nothing is written into texts");
  });
  options.answer = AnswerKind::kLabels;
  options.label_separator = std::string("|");
  if (std::string_view(format) == "fasttext") options.label_separator.clear();
  read_records(data, size, options, [](const Record& record, Answers answers) {
    const auto* labels = std::get_if<Labels>(&record.answer);
    require(labels != nullptr || answers == Answers::kOptional, "a list that must be there is");
    if (labels == nullptr) return;
    std::set<std::string> names;
    for (const std::string& name : labels->names) {
      require(!name.empty() && valid_utf8(name), "labels are not empty and valid UTF-8");
      require(names.insert(name).second, "each label is there once");
    }
  });
  return 0;
}

// Reads the bytes as words with and without tags, and writes them back.
inline int read_tagged(const std::uint8_t* data, std::size_t size, const char* format,
                       const KnownColumns& known = {}) {
  ReadOptions options;
  options.answer = AnswerKind::kTags;
  options.format = format;
  options.known = known;
  read_records(data, size, options, [](const Record& record, Answers answers) {
    const auto* sentence = std::get_if<Sentence>(&record.content);
    require(sentence != nullptr, "tags are for words");
    require(!std::holds_alternative<Label>(record.answer), "words have no label");
    const auto* tags = std::get_if<Tags>(&record.answer);
    require(tags != nullptr || answers == Answers::kOptional, "tags that must be there are");
    require(tags == nullptr || tags->names.size() == sentence->words.size(),
            "every word has a tag or none has");
    const bool raw = !sentence->source->text.empty() || sentence->words.empty();
    require(raw || (record.extras->lines != nullptr) == (answers == Answers::kOptional),
            "lines are kept where tags are to be written");
    for (std::size_t i = 0; i < sentence->source->begins.size(); ++i) {
      const auto begin = static_cast<std::size_t>(sentence->source->begins[i]);
      const std::string& word = sentence->words[i];
      require(!word.empty() && sentence->source->text.compare(begin, word.size(), word) == 0,
              "words stand in the text where they are said to");
    }
    if (record.extras->lines == nullptr) return;
    const ConllLines& kept = *record.extras->lines;
    const std::string place = record.place.text();
    std::string same;
    for (const std::string& line : kept.lines) same += line;
    // What is not UTF-8 was repaired in the tags, not in the lines.
    if (tags != nullptr && valid_utf8(same)) {
      require(with_tags(kept, tags->names, place) == same, "the same tags give the same lines");
    }
    with_tags(kept, std::vector<std::string>(sentence->words.size(), "NEW"), place);
  });
  return 0;
}

}  // namespace heed::fuzz
