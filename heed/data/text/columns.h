#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/data/read_options.h"
#include "heed/data/record.h"
#include "heed/data/record_source.h"
#include "heed/tensor/shape.h"

namespace heed {

// Which of the named columns of a file (or keys of an object) are the text, the label and the
// group.
struct TextColumns {
  static constexpr Index kNone = -1;
  Index text = 0;
  Index second = kNone;  // the other text of a pair
  Index label = kNone;
  Index group = kNone;
  Index begin = kNone, end = kNone;  // of the part of a recording that a row is about
  Index id = kNone;
};

// Chooses as the options say, or else those that the model knows, or else by the names people give
// such columns (text, sentence,
// review, …; label, class, category, …); of two columns, the one that is left. A group is only
// where the options name one. A column that does not exist is a FormatError that begins with
// `place` and lists those that do; `noun` is "column" or "key".
//
// An `id` is a column of that name (uid, guid, sent_id, …) that is none of the others.
//
// A text column "premise,hypothesis" that does not exist as such names the two texts of a pair. So
// do, where nothing is said, two columns named as pairs usually are (sentence1 and sentence2, …).
//
// Of files, `text` is the column of their names. Of recordings `begin` and `end` are found where
// there are columns start (begin, onset) and end (stop, offset).
TextColumns choose_columns(const std::vector<std::string>& names, const ReadOptions& options,
                           const std::string& place, std::string_view noun);

// Whether one of the names is among those by which choose_columns finds a text.
bool names_a_text_column(const std::vector<std::string>& names);

// A time of a recording in seconds, as a table has it. What is none is a FormatError that begins
// with `place`.
double seconds_of(std::string_view text, const std::string& place, const std::string& name);

// The labels of a field, without the spaces around them, each once. An empty separator: the whole
// field is one.
Labels split_labels(std::string_view field, std::string_view separator);

// What stands between several labels, of a table of records that have one label each: the one of
// pipe, semicolon and comma that most fields have; empty where none has any.
std::string find_label_separator(RecordSource& rows);

// What --label-separator may say: comma, semicolon, pipe, space, or the mark itself; none for
// fields with one label each.
std::string label_separator_from(const std::string& option);

// "text,label", cut short if there are many.
std::string listed(const std::vector<std::string>& names);

// Without spaces and tabs around it.
std::string_view trimmed(std::string_view text);

}  // namespace heed
