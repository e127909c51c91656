#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/data/record.h"

namespace heed {

// The lines that a sentence was read from, so that tags can be written back into them.
struct ConllLines {
  // Everything that stood in the file, with the ends of lines: comments, ranges ("1-2") and empty
  // nodes ("1.1") of CoNLL-U, what came between the sentence before and this one (-DOCSTART-), and
  // the empty line behind it.
  std::vector<std::string> lines;
  std::vector<Index> word_lines;  // the line of each word, an index into `lines`
  Index tag_column = 0;           // from 0; just behind the last column if the file has no tags
};

// The sentence as it stood in its file, but with `tags`, one for each word, in the tag column; a
// column just behind the last is added. All else stays to the byte.
// `place` is for messages.
std::string with_tags(const ConllLines& lines, const std::vector<std::string>& tags,
                      const std::string& place);

// The columns of a line: between tabs if there is one, else between runs of spaces.
void split_columns(std::string_view line, std::vector<std::string_view>& fields);

}  // namespace heed
