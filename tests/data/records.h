#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/data/text/open.h"
#include "tests/support/messages.h"

namespace heed::test {

using Strings = std::vector<std::string>;
inline constexpr Answers kOptional = Answers::kOptional;

// Reads bytes as if they were a file of that name.
inline std::vector<Record> read_records(const std::string& name, const std::string& bytes,
                                        const ReadOptions& options = {}) {
  const auto source = open_text(LineReader(ByteSource::memory(name, bytes)), options);
  std::vector<Record> records;
  for (Record record; source->next(record);) records.push_back(record);
  return records;
}

// The same for tags in place of labels.
inline ReadOptions for_tags(ReadOptions options = {}) {
  options.answer = AnswerKind::kTags;
  return options;
}

inline std::vector<Record> read_tagged(const std::string& name, const std::string& bytes,
                                       const ReadOptions& options = {}) {
  return read_records(name, bytes, for_tags(options));
}

// The parts of a record; one that is of another kind ends the test.
inline const std::string& text_of(const Record& record) {
  return std::get<Text>(record.content).text;
}
inline const Strings& words_of(const Record& record) {
  return std::get<Sentence>(record.content).words;
}
inline const std::string& label_of(const Record& record) {
  return std::get<Label>(record.answer).name;
}
inline const Strings& tags_of(const Record& record) { return std::get<Tags>(record.answer).names; }
inline bool has_answer(const Record& record) {
  return !std::holds_alternative<std::monostate>(record.answer);
}

// "label|text@line" for each, so that a test shows a file and what is in it; a record without a
// label is "|text@line", which no label looks like, as none is empty.
template <typename Records>
Strings shown(const Records& records) {
  Strings result;
  for (const Record& record : records) {
    EXPECT_TRUE(!has_answer(record) || !label_of(record).empty()) << record.place.text();
    result.push_back((has_answer(record) ? label_of(record) : "") + "|" + text_of(record) + "@" +
                     std::to_string(record.place.line));
  }
  return result;
}

// What reading says about a file that is not right.
template <typename E = FormatError>
std::string refusal(const std::string& name, const std::string& bytes,
                    const ReadOptions& options = {}) {
  return message_of<E>([&] { read_records(name, bytes, options); });
}

template <typename E = FormatError>
std::string tagged_refusal(const std::string& name, const std::string& bytes,
                           const ReadOptions& options = {}) {
  return message_of<E>([&] { read_tagged(name, bytes, options); });
}

}  // namespace heed::test
