#include "heed/data/text/csv.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "heed/base/error.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

struct DelimiterName {
  std::string_view name;
  char delimiter;
};
constexpr std::array<DelimiterName, 4> kDelimiterNames = {
    {{"comma", ','}, {"tab", '\t'}, {"semicolon", ';'}, {"pipe", '|'}}};

// Empty for one that has no name.
std::string_view name_of(char delimiter) {
  for (const DelimiterName& known : kDelimiterNames) {
    if (known.delimiter == delimiter) return known.name;
  }
  return {};
}

// "commas"; one that has no name stands for itself.
std::string plural(char delimiter) {
  const std::string_view name = name_of(delimiter);
  return name.empty() ? fmt::format("\"{}\"", delimiter) : fmt::format("{}s", name);
}

}  // namespace

CsvSource::CsvSource(LineReader lines, const ReadOptions& options)
    : lines_(std::move(lines)),
      required_(options.answers == Answers::kRequired),
      several_(options.answer == AnswerKind::kLabels),
      separator_(label_separator_from(options.label_separator.empty() ? options.known.separator
                                                                      : options.label_separator)),
      recordings_(options.content == ContentKind::kAudio),
      keeps_(options.keep) {
  delimiter_ = delimiter_from(options.delimiter);
  if (delimiter_ == '\0' && options.format == "tsv") delimiter_ = '\t';
  std::size_t blank = 0;
  while (lines_.peek(blank) != nullptr && is_blank(*lines_.peek(blank))) ++blank;
  const std::string* header = lines_.peek(blank);
  if (header == nullptr) throw FormatError(lines_.path() + ": is empty");
  if (delimiter_ == '\0') delimiter_ = find_delimiter(*header);
  read_record();
  for (const std::string& field : fields_) names_.emplace_back(trimmed(field));
  if (keeps_) {
    row_.names = names_;
    row_.delimiter = delimiter_;
    head_ = std::make_shared<const KeptRow>(std::exchange(row_, {}));
  }
  const std::string place = fmt::format("{}:{}", lines_.path(), record_line_);
  if (!options.delimiter.empty() && names_.size() == 1 &&
      (required_ || split_header(names_[0], find_delimiter(names_[0])).size() > 1)) {
    lines_.refuse(record_line_,
                  "no {} between the names of columns in \"{}\"; is --delimiter {} right?",
                  plural(delimiter_), shortened(names_[0]), options.delimiter);
  }
  if (options.delimiter.empty() && names_.size() == 1) {
    const std::string advice = delimiter_advice(names_[0], options.answers);
    if (!advice.empty()) {
      lines_.refuse(record_line_, "no {} in \"{}\", expected names of columns{}",
                    plural(delimiter_), shortened(names_[0]), advice);
    }
  }
  columns_ = choose_columns(names_, options, place, "column");
  for (const Index chosen : {columns_.text, columns_.second, columns_.label, columns_.group}) {
    if (chosen == TextColumns::kNone) continue;
    const std::string& name = names_[static_cast<std::size_t>(chosen)];
    if (std::count(names_.begin(), names_.end(), name) > 1) {
      throw FormatError(place + ": two columns are named \"" + shortened(name) +
                        "\"; give them names of their own");
    }
  }
}

bool CsvSource::next(Record& record) {
  if (!read_record()) return false;
  if (fields_.size() != names_.size()) refuse_columns();
  record = {};
  record.place = lines_.place(record_line_);
  if (columns_.group != TextColumns::kNone) {
    record.extras.edit().group = trimmed(fields_[static_cast<std::size_t>(columns_.group)]);
  }
  std::string& text = fields_[static_cast<std::size_t>(columns_.text)];
  if (recordings_) {
    record.content = Recording{.file = std::move(text),
                               .begin = seconds(columns_.begin, record.place),
                               .end = seconds(columns_.end, record.place)};
  } else {
    record.content = Text{std::move(text)};
    if (columns_.second != TextColumns::kNone) {
      std::get<Text>(record.content).second =
          std::move(fields_[static_cast<std::size_t>(columns_.second)]);
    }
  }
  if (several_ && columns_.label != TextColumns::kNone) {
    record.answer = split_labels(fields_[static_cast<std::size_t>(columns_.label)], separator_);
  } else if (columns_.label != TextColumns::kNone) {
    const auto column = static_cast<std::size_t>(columns_.label);
    const std::string_view label = trimmed(fields_[column]);
    if (label.empty() && required_) {
      lines_.refuse(record_line_, "the {} is empty, expected a label", names_[column]);
    }
    if (!label.empty()) record.answer = Label{std::string(label)};
  }
  if (columns_.id != TextColumns::kNone) {
    record.extras.edit().id = std::move(fields_[static_cast<std::size_t>(columns_.id)]);
  }
  if (keeps_) {
    row_.delimiter = delimiter_;
    record.extras.edit().row = std::make_shared<const KeptRow>(std::exchange(row_, {}));
  }
  return true;
}

// What stands in a column of times; an empty field, or a column that is not there, is 0.
double CsvSource::seconds(Index column, const Place& place) const {
  if (column == TextColumns::kNone) return 0.0;
  const auto c = static_cast<std::size_t>(column);
  return is_blank(fields_[c]) ? 0.0 : seconds_of(fields_[c], place.text(), names_[c]);
}

KnownColumns CsvSource::columns() const {
  KnownColumns known;
  known.text = names_[static_cast<std::size_t>(columns_.text)];
  if (columns_.label != TextColumns::kNone) {
    known.label = names_[static_cast<std::size_t>(columns_.label)];
    if (several_) known.separator = separator_;
  }
  if (columns_.second != TextColumns::kNone) {
    known.second = names_[static_cast<std::size_t>(columns_.second)];
  }
  return known;
}

// A record goes on with the next line while a quote is open.
bool CsvSource::ready() {
  std::ptrdiff_t quotes = 0;
  for (std::size_t ahead = 0; lines_.ready(ahead); ++ahead) {
    const std::string* line = lines_.peek(ahead);
    if (line == nullptr) return true;
    quotes += std::count(line->begin(), line->end(), '"');
    if (quotes % 2 == 0 && !is_blank(*line)) return true;
  }
  return false;
}

void CsvSource::refuse_columns() const {
  const std::size_t found = fields_.size(), expected = names_.size();
  const std::string what = fmt::format("{} column{}, expected {} ({})", found,
                                       found == 1 ? "" : "s", expected, listed(names_));
  if (found > expected) {
    lines_.refuse(record_line_, "{}; quote the text if it contains {}", what, plural(delimiter_));
  }
  lines_.refuse(record_line_,
                "{}; columns are separated by {}, and a text that goes on over "
                "several lines needs quotes",
                what, plural(delimiter_));
}

bool CsvSource::next_line(std::string& line) {
  if (!lines_.next(line)) return false;
  if (keeps_) add_line(row_, lines_.bytes());
  return true;
}

bool CsvSource::read_record() {
  row_.form = KeptRow::Form::kColumns;
  for (;;) {
    if (!next_line(line_)) return false;
    if (!is_blank(line_)) break;
    row_.before += row_.text + row_.end;
    row_.text.clear();
    row_.end.clear();
  }
  record_line_ = lines_.line();
  fields_.clear();
  for (std::size_t place = 0;; ++place) {
    std::string& field = fields_.emplace_back();
    if (place == line_.size() || line_[place] != '"' || !read_quoted(line_, place, field)) {
      const std::size_t end = std::min(line_.find(delimiter_, place), line_.size());
      field.assign(line_, place, end - place);
      place = end;
    }
    if (place == line_.size()) return true;
  }
}

// Reads the quoted field at `place`, over several lines if need be, and leaves `place` behind it.
// False, and nothing read, if the quote is an ordinary character after all.
bool CsvSource::read_quoted(std::string& line, std::size_t& place, std::string& field) {
  const Index begin = lines_.line();
  for (std::size_t from = place + 1;;) {
    const std::size_t quote = line.find('"', from);
    if (quote == std::string::npos) {
      const bool first = lines_.line() == begin;
      if (first && delimiter_ == '\t' && stands_alone(line)) return false;
      field.append(line, from);
      field += '\n';
      if (field.size() > LineReader::kMaxLine || !next_line(line)) {
        lines_.refuse(begin,
                      "a quote that opens here is never closed; a quote inside a quoted "
                      "text is written twice");
      }
      from = 0;
      continue;
    }
    field.append(line, from, quote - from);
    from = quote + 1;
    if (from < line.size() && line[from] == '"') {
      field += '"';
      ++from;
      continue;
    }
    const std::size_t end = std::min(line.find_first_not_of(' ', from), line.size());
    if (end == line.size() || line[end] == delimiter_) {
      place = end;
      return true;
    }
    if (lines_.line() == begin && delimiter_ == '\t') return false;
    lines_.refuse(lines_.line(),
                  "\"{}\" follows a closing quote; a quote inside a quoted text is "
                  "written twice",
                  shortened(std::string_view(line).substr(from), 20));
  }
}

bool CsvSource::stands_alone(const std::string& line) {
  const auto complete = [&](const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\t')) + 1 ==
           names_.size();
  };
  if (!complete(line)) return false;
  const std::string* following = lines_.peek();
  return following == nullptr || is_blank(*following) || complete(*following);
}

char delimiter_from(const std::string& option) {
  if (option.empty()) return '\0';
  if (option == "\\t" || option == "\t") return '\t';
  for (const DelimiterName& known : kDelimiterNames) {
    if (known.name == option) return known.delimiter;
  }
  const bool mark = option.size() == 1 && option[0] > ' ' && option[0] <= '~' && option[0] != '"' &&
                    std::isalnum(static_cast<unsigned char>(option[0])) == 0;
  if (mark) return option[0];
  throw UsageError(fmt::format(
      "--delimiter \"{}\": expected comma, tab, semicolon, pipe, or a single mark such as :",
      option));
}

char find_delimiter(std::string_view header) {
  constexpr std::array<char, 3> kDelimiters = {',', '\t', ';'};
  std::array<int, 3> counts{};
  bool quoted = false;
  for (const char c : header) {
    if (c == '"') quoted = !quoted;
    for (std::size_t i = 0; i < kDelimiters.size(); ++i) {
      if (!quoted && c == kDelimiters[i]) ++counts[i];
    }
  }
  return kDelimiters[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                              counts.begin())];
}

std::string delimiter_advice(std::string_view header, Answers answers) {
  constexpr std::string_view kMarks = "|,\t;^~:";
  for (const char mark : kMarks) {
    const std::vector<std::string> names = split_header(header, mark);
    if (names.size() < 2 || (answers == Answers::kOptional && !names_a_text_column(names)))
      continue;
    const std::string_view name = name_of(mark);
    if (name.empty())
      return fmt::format("; if {0} stands between columns, say --delimiter {0}", mark);
    return fmt::format("; if a {0} stands between columns, say --delimiter {0}", name);
  }
  return "";
}

std::vector<std::string> split_header(std::string_view header, char delimiter) {
  std::vector<std::string> names;
  for (;;) {
    const std::size_t end = std::min(header.find(delimiter), header.size());
    std::string_view name = trimmed(header.substr(0, end));
    if (name.size() >= 2 && name.front() == '"' && name.back() == '"') {
      name = name.substr(1, name.size() - 2);
    }
    names.emplace_back(name);
    if (end == header.size()) return names;
    header.remove_prefix(end + 1);
  }
}

}  // namespace heed
