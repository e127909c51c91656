#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/data/lines.h"
#include "heed/data/text/labelled_text.h"
#include "heed/data/text/read_options.h"
#include "heed/data/text/tagged_sentence.h"

namespace heed {

// Opens a file of texts, a folder for each class, or standard input ("-"). The format is what the
// options say, or else what the name ends in (.csv, .tsv, .jsonl, … and any of these with .gz), or
// else what the first line looks like. Plain lines are read only where labels are optional.
//
// An unknown format or an option that the format has no use for is a UsageError, an empty file a
// FormatError.
std::unique_ptr<TextSource> open_text(const std::string& path, const TextReadOptions& options = {});

// The same for tagged words: CoNLL-U or CoNLL columns. Where tags are optional, lines are read too:
// each a sentence, its words between spaces.
std::unique_ptr<TaggedSource> open_tagged(const std::string& path,
                                          const TextReadOptions& options = {});

// The same from any bytes, for what does not come from a file.
std::unique_ptr<TextSource> open_text(LineReader lines, const TextReadOptions& options);
std::unique_ptr<TaggedSource> open_tagged(LineReader lines, const TextReadOptions& options);

// Whole files. One without a single example is a FormatError.
struct TextFile {
  std::vector<LabelledText> examples;
  Index repaired = 0;  // lines or files that were not UTF-8
  KnownColumns columns;
};
struct TaggedFile {
  std::vector<TaggedSentence> sentences;
  Index repaired = 0;
  KnownColumns columns;
};
TextFile read_all_text(const std::string& path, const TextReadOptions& options = {});
TaggedFile read_all_tagged(const std::string& path, const TextReadOptions& options = {});

}  // namespace heed
