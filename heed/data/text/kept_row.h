#pragma once

#include <span>
#include <string>
#include <vector>

namespace heed {

// A row of a table, or a line of text, as it stood in its file, so that answers can be added to it.
struct KeptRow {
  enum class Form { kColumns, kObject, kLine };

  Form form = Form::kLine;
  char delimiter = '\t';           // between columns
  std::vector<std::string> names;  // of the row that names the columns: these
  std::string before;              // what stood between the row before it and this one
  std::string text;                // its bytes; with quotes, perhaps of several lines
  std::string end;                 // of its line: "\n", "\r\n", or nothing where the file ends
};

// What is added to a row under one name.
struct KeptCell {
  std::string value;
  bool is_text = true;  // no: JSON
};

// The row to the byte, with one more column (key) for each name: in columns quoted where it must
// be, in an object as its last keys, behind a line with tabs between. A column or key that is there
// already is a FormatError that begins with `place`.
std::string with_cells(const KeptRow& row, std::span<const std::string> names,
                       std::span<const KeptCell> cells, const std::string& place);
// The row that names the columns, with more names.
std::string with_names(const KeptRow& head, std::span<const std::string> names,
                       const std::string& file);

// Puts the bytes of a line, its end with them, into a row; its text may have begun already.
void add_line(KeptRow& row, std::string_view bytes);

}  // namespace heed
