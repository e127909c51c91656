#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/data/lines.h"
#include "heed/data/read_options.h"
#include "heed/data/record_source.h"
#include "heed/data/text/conll_lines.h"

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

// To predict, a sentence of thousands of words is given in parts (Record::continues).
//
// A wrong number of columns, a word without a name or tag, and a first column of CoNLL-U that is
// no number are FormatErrors with file and line.
class ConllSource : public RecordSource {
 public:
  ConllSource(LineReader lines, ConllLayout layout, const ReadOptions& options);

  bool next(Record& record) override;
  bool ready() override;
  Index repaired() const override { return lines_.repaired(); }
  KnownColumns columns() const override;
  std::string rest() const override { return rest_; }

 private:
  void keep_line();
  bool is_full() const;
  void find_columns(const ReadOptions& options);
  Index find_tag_column(const ReadOptions& options) const;
  bool is_word();
  void check_count() const;
  void add_word();

  LineReader lines_;
  ConllLayout layout_;
  Index columns_ = 0;  // of every word
  Index word_column_ = 0, tag_column_ = 0;
  bool tagged_ = true;
  bool keeps_lines_;  // tags will be written into them
  struct {
    std::vector<std::string> words, tags;
    ConllLines lines;
  } sentence_;  // the one at hand
  std::string line_;
  std::string rest_;                      // behind the last sentence
  std::vector<std::string_view> fields_;  // of line_
};

// What the layout of a line with a word is: that of CoNLL-U if it has its columns.
ConllLayout find_layout(std::string_view line);
// What the layout of the lines ahead is: CoNLL-U if the first that is no comment has its columns.
ConllLayout find_conll_layout(LineReader& lines);

}  // namespace heed
