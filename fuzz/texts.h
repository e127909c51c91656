#pragma once

#include <utility>

#include "fuzz/fuzz.h"
#include "heed/data/text/open.h"
#include "heed/data/utf8.h"

namespace heed::fuzz {

inline TextReadOptions options_for(const char* format, Labels labels) {
  TextReadOptions options;
  options.format = format;
  options.labels = labels;
  return options;
}

// Reads the bytes as labelled and as plain texts.
inline int read_texts(const std::uint8_t* data, std::size_t size, const char* format) {
  for (const Labels labels : {Labels::kRequired, Labels::kOptional}) {
    run(data, size, [&](std::string bytes) {
      const auto source = open_text(LineReader(ByteSource::memory("input", std::move(bytes))),
                                    options_for(format, labels));
      Index line = 0;
      for (LabelledText text; source->next(text);) {
        require(valid_utf8(text.text) && valid_utf8(text.label), "texts are valid UTF-8");
        require(text.line > line, "texts come in the order of their lines");
        require(labels == Labels::kOptional || !text.label.empty(),
                "a label that must be there is");
        line = text.line;
      }
    });
  }
  return 0;
}

// Reads the bytes as words with and without tags, and writes them back.
inline int read_tagged(const std::uint8_t* data, std::size_t size, const char* format,
                       const KnownColumns& known = {}) {
  for (const Labels labels : {Labels::kRequired, Labels::kOptional}) {
    run(data, size, [&](std::string bytes) {
      TextReadOptions options = options_for(format, labels);
      options.known = known;
      const auto source =
          open_tagged(LineReader(ByteSource::memory("input", std::move(bytes))), options);
      for (TaggedSentence sentence; source->next(sentence);) {
        require(!sentence.words.empty() || sentence.lines.empty(),
                "a sentence has words, unless it is an empty line");
        require(sentence.tags.empty() || sentence.tags.size() == sentence.words.size(),
                "every word has a tag or none has");
        std::string same;
        for (const std::string& line : sentence.lines) same += line + "\n";
        if (!sentence.tags.empty()) {
          require(with_tags(sentence, sentence.tag_column, sentence.tags) == same + "\n",
                  "the same tags give the same lines");
        }
        with_tags(sentence, sentence.tag_column,
                  std::vector<std::string>(sentence.words.size(), "NEW"));
      }
    });
  }
  return 0;
}

}  // namespace heed::fuzz
