#pragma once

#include <string>
#include <vector>

#include "heed/data/text/read_options.h"
#include "heed/model/config.h"

namespace heed {

// Examples of text with their answers, for either output: a label for each text, or a tag for each
// word.
struct TextData {
  OutputKind kind = OutputKind::kLabel;
  std::vector<std::string> texts;  // labels
  std::vector<std::string> labels;
  std::vector<std::string> groups;              // labels; empty unless there is a column of groups
  std::vector<std::vector<std::string>> words;  // tags
  std::vector<std::vector<std::string>> tags;
  std::vector<std::string> places;  // "news.csv:12", for messages
  Index repaired = 0;               // lines that were not UTF-8
  KnownColumns columns;             // of the first file

  Index size() const { return static_cast<Index>(places.size()); }
  // Some of the examples.
  TextData select(const std::vector<Index>& members) const;
};

TextData read_text_data(OutputKind kind, const std::vector<std::string>& paths,
                        const TextReadOptions& options);

// All answers that occur, in order of the alphabet. Fewer than two is a FormatError, and so is,
// where a part will be held out, a class with a single example: nothing can be learned from it and
// checked as well.
std::vector<std::string> answers_of(const TextData& data, bool will_be_split);

// An answer that training has not seen is a FormatError with its place.
void check_answers(const TextData& data, const std::vector<std::string>& known,
                   const std::string& what);

// Deals examples into a part to learn from and a part that is held out: seeded, and with the same
// share of every class (for tags, of the sentences).
//
// With groups, all examples of a group are on the same side, an example without one being a group
// of its own; the share is then about right, and every class is among what is to be learned from. A
// FormatError where the groups are too large for that.
struct Split {
  std::vector<Index> train, held_out;
};
Split split(const TextData& data, double share, std::uint64_t seed);

// A number that changes when any text or answer does: a checkpoint belongs to its data.
std::uint64_t fingerprint(const TextData& data);

}  // namespace heed
