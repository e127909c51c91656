#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "heed/base/error.h"
#include "heed/data/byte_source.h"
#include "heed/data/record.h"
#include "heed/tensor/shape.h"

namespace heed {

// The lines of a text file, of a .gz, or of standard input ("-"), as they arrive and with flat
// memory. A byte order mark and the ends of lines, LF or CRLF, are taken off. A line that is not
// UTF-8 is repaired (see utf8.h) and counted.
//
// A FormatError with path and line: a NUL byte or UTF-16, which is no text that heed reads; a line
// beyond kMaxLine.
class LineReader {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{64} << 20;

  explicit LineReader(const std::string& path) : LineReader(ByteSource::open(path)) {}
  explicit LineReader(ByteSource source);

  // False at the end; `line` is then unchanged.
  bool next(std::string& line);

  // The line that next() will give after `ahead` others, or nullptr behind the end. Valid until
  // the next call. Reads only as far as it must.
  const std::string* peek(std::size_t ahead = 0);

  // From now on bytes() gives the lines as they stand in the file. Before the first one is read.
  void keep_bytes() { keeps_ = true; }
  // Of the line that next() gave last: with its end, a byte order mark, and what had to be
  // repaired.
  const std::string& bytes() const { return bytes_; }

  // Whether peek(ahead) can answer without waiting for whoever writes into a pipe or a terminal.
  bool ready(std::size_t ahead = 0);

  // The number of the line that next() gave last, from 1.
  Index line() const { return line_; }
  const std::string& path() const { return source_.name(); }
  // The place of a line, by default that which next() gave last.
  Place place() const { return place(line_); }
  Place place(Index line) const { return {file_, line}; }
  // How many of the lines read were not UTF-8.
  Index repaired() const { return repaired_; }

  // Throws FormatError("path:line: …").
  template <typename... Arguments>
  [[noreturn]] void refuse(Index line, fmt::format_string<Arguments...> format,
                           Arguments&&... arguments) const {
    throw FormatError(fmt::format("{}:{}: ", path(), line) +
                      fmt::format(format, std::forward<Arguments>(arguments)...));
  }

 private:
  struct Line {
    std::string text;
    std::string bytes = {};  // where they are kept
  };
  void fill();
  bool read_line(Line& line);

  ByteSource source_;
  std::shared_ptr<const std::string> file_;  // its name
  std::string buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of the buffer is not yet read
  std::string begun_;                // of the next line what ready() took from the buffer
  std::deque<Line> ahead_;           // read by peek(), not yet given
  bool keeps_ = false;
  std::string bytes_;  // of the line that was given last
  Index read_ = 0;     // lines taken from the source
  Index line_ = 0;
  Index repaired_ = 0;
  bool ended_ = false;
  const char* wrong_ = nullptr;  // with what follows the buffer, once it is known
};

// Whether a line holds nothing but spaces and tabs.
bool is_blank(std::string_view line);

// Whether a line that is not blank, or the end, can be read without waiting.
bool text_is_ready(LineReader& lines);

// Why the first bytes of a file, or later ones, are no text that heed reads: UTF-16 or NUL bytes.
// nullptr if they are.
const char* not_text(std::string_view bytes, bool first);

// Takes off what begins some UTF-8 files.
void strip_byte_order_mark(std::string& text);

}  // namespace heed
