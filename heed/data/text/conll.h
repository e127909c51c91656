#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/data/lines.h"
#include "heed/data/text/read_options.h"
#include "heed/data/text/tagged_sentence.h"

namespace heed {

// Words in lines with their columns, an empty line behind each sentence.
//
//   kUniversal   CoNLL-U: ten columns between tabs; lines of "#" are comments, and neither ranges
//                ("1-2") nor empty nodes ("1.1") are words. The word is FORM, the tag UPOS.
//   kColumns     as many columns as the first word has, between tabs or else between spaces. The
//                word is the first, the tag the last (to predict: where the model knows it, or else
//                behind the last); -DOCSTART- is no word. A line "# …" above a
//                sentence is a comment if it has another number of columns or a "=".
enum class ConllLayout { kUniversal, kColumns };

// A wrong number of columns, a word without a name or tag, and a first column of CoNLL-U that is
// no number are FormatErrors with file and line.
class ConllSource : public TaggedSource {
 public:
  ConllSource(LineReader lines, ConllLayout layout, const TextReadOptions& options);

  bool next(TaggedSentence& sentence) override;
  bool ready() override;
  Index repaired() const override { return lines_.repaired(); }
  KnownColumns columns() const override;

 private:
  void find_columns(const TextReadOptions& options);
  Index find_tag_column(const TextReadOptions& options) const;
  bool is_word(const TaggedSentence& sentence);
  void check_count() const;
  void add_word(TaggedSentence& sentence) const;

  LineReader lines_;
  ConllLayout layout_;
  Index columns_ = 0;  // of every word
  Index word_column_ = 0, tag_column_ = 0;
  bool tagged_ = true;
  std::string line_;
  std::vector<std::string_view> fields_;  // of line_
};

// What the layout of the lines ahead is: CoNLL-U if the first that is no comment has its columns.
ConllLayout find_conll_layout(LineReader& lines);

}  // namespace heed
