#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/data/text/open.h"
#include "tests/support/temporary_folder.h"

namespace heed::test {

// Reads bytes as if they were a file of that name.
inline std::vector<LabelledText> read_texts(const std::string& name, const std::string& bytes,
                                            const TextReadOptions& options = {}) {
  const auto source = open_text(LineReader(ByteSource::memory(name, bytes)), options);
  std::vector<LabelledText> texts;
  for (LabelledText text; source->next(text);) texts.push_back(text);
  return texts;
}

inline std::vector<TaggedSentence> read_tagged(const std::string& name, const std::string& bytes,
                                               const TextReadOptions& options = {}) {
  const auto source = open_tagged(LineReader(ByteSource::memory(name, bytes)), options);
  std::vector<TaggedSentence> sentences;
  for (TaggedSentence sentence; source->next(sentence);) sentences.push_back(sentence);
  return sentences;
}

// "label|text@line" for each, so that a test shows a file and what is in it.
using Strings = std::vector<std::string>;
inline Strings shown(const std::vector<LabelledText>& texts) {
  Strings result;
  for (const LabelledText& text : texts) {
    result.push_back(text.label + "|" + text.text + "@" + std::to_string(text.line));
  }
  return result;
}

// What reading says about a file that is not right.
template <typename E = FormatError>
std::string refusal(const std::string& name, const std::string& bytes,
                    const TextReadOptions& options = {}) {
  return message_of<E>([&] { read_texts(name, bytes, options); });
}

template <typename E = FormatError>
std::string tagged_refusal(const std::string& name, const std::string& bytes,
                           const TextReadOptions& options = {}) {
  return message_of<E>([&] { read_tagged(name, bytes, options); });
}

}  // namespace heed::test
