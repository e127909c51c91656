#include "heed/data/text/open.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/data/text/class_folder.h"
#include "heed/data/text/columns.h"
#include "heed/data/text/conll.h"
#include "heed/data/text/csv.h"
#include "heed/data/text/fasttext.h"
#include "heed/data/text/jsonl.h"
#include "heed/data/text/plain_text.h"
#include "heed/data/text/sentence_lines.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

enum class Format { kCsv, kTsv, kJsonl, kFasttext, kFolder, kConllu, kConll, kLines, kUnknown };

struct FormatName {
  std::string_view name;
  Format format;
};
constexpr std::array<FormatName, 8> kFormats = {{{"csv", Format::kCsv},
                                                 {"tsv", Format::kTsv},
                                                 {"jsonl", Format::kJsonl},
                                                 {"fasttext", Format::kFasttext},
                                                 {"folder", Format::kFolder},
                                                 {"conllu", Format::kConllu},
                                                 {"conll", Format::kConll},
                                                 {"lines", Format::kLines}}};
constexpr std::array<FormatName, 11> kEndings = {{{".csv", Format::kCsv},
                                                  {".tsv", Format::kTsv},
                                                  {".tab", Format::kTsv},
                                                  {".jsonl", Format::kJsonl},
                                                  {".ndjson", Format::kJsonl},
                                                  {".json", Format::kJsonl},
                                                  {".ft", Format::kFasttext},
                                                  {".fasttext", Format::kFasttext},
                                                  {".conllu", Format::kConllu},
                                                  {".conll", Format::kConll},
                                                  {".bio", Format::kConll}}};

bool for_tags(Format format) { return format == Format::kConllu || format == Format::kConll; }

bool has_columns(Format format) {
  return format == Format::kCsv || format == Format::kTsv || format == Format::kJsonl;
}

std::string_view name_of(Format format) {
  for (const FormatName& known : kFormats) {
    if (known.format == format) return known.name;
  }
  return "unknown";
}

Format format_from(const std::string& option) {
  if (option.empty()) return Format::kUnknown;
  std::string known;
  for (const FormatName& candidate : kFormats) {
    if (candidate.name == option) return candidate.format;
    known += (known.empty() ? "" : ", ") + std::string(candidate.name);
  }
  throw UsageError("format \"" + option + "\": expected one of " + known);
}

Format format_of_name(std::string path) {
  for (char& c : path) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  if (path.ends_with(".gz")) path.resize(path.size() - 3);
  for (const FormatName& ending : kEndings) {
    if (path.ends_with(ending.name)) return ending.format;
  }
  return Format::kUnknown;
}

Format format_of_line(std::string_view line) {
  if (line.starts_with(FasttextSource::kPrefix)) return Format::kFasttext;
  if (line.starts_with('{') || line.starts_with("[{")) return Format::kJsonl;
  const char delimiter = find_delimiter(line);
  const std::vector<std::string> names = split_header(line, delimiter);
  if (names_a_text_column(names)) return delimiter == '\t' ? Format::kTsv : Format::kCsv;
  return Format::kUnknown;
}

// The first line that is not empty; of plain lines, an empty one will do. Behind that many empty
// lines nobody looks for one.
const std::string& first_line(LineReader& lines, Format format) {
  constexpr std::size_t kLookAhead = 1000;
  const std::string* line = lines.peek();
  if (line == nullptr) throw FormatError(lines.path() + ": is empty");
  if (format == Format::kLines) return *line;
  for (std::size_t ahead = 1; line != nullptr && is_blank(*line) && ahead < kLookAhead; ++ahead) {
    line = lines.peek(ahead);
  }
  if (line == nullptr) throw FormatError(lines.path() + ": has empty lines only");
  return *line;
}

void refuse_unused(Format format, const ReadOptions& options) {
  const auto refuse = [&](std::string_view option, const std::string& value) {
    if (value.empty()) return;
    throw UsageError(
        fmt::format("--{} {}: the format {} has no use for it", option, value, name_of(format)));
  };
  const bool pairs = options.answer == AnswerKind::kSequence;
  if (!has_columns(format) && !for_tags(format)) {
    refuse(pairs ? "source-column" : "text-column", options.text_column);
  }
  if (!has_columns(format)) {
    refuse(pairs ? "target-column" : "label-column", options.label_column);
    refuse("group-column", options.group_column);
  }
  if (!for_tags(format)) refuse("tag-column", options.tag_column);
  if (format != Format::kCsv && format != Format::kTsv) refuse("delimiter", options.delimiter);
}

Format find_label_format(const std::string& path, const std::string& line,
                         const ReadOptions& options) {
  if (!options.delimiter.empty()) return Format::kCsv;
  const Format format = format_of_line(line);
  if (format != Format::kUnknown) return format;
  if (options.answers == Answers::kOptional) return Format::kLines;
  if (options.answer == AnswerKind::kSequence) {
    throw FormatError(fmt::format(
        "{}: sources without targets; expected two files whose lines belong together, or a table "
        "(csv, tsv, jsonl) with a column of each",
        path));
  }
  throw FormatError(fmt::format(
      "{}: cannot tell the format from its name or from \"{}\"; choose with --format csv, tsv, "
      "jsonl or fasttext{}",
      path, shortened(line), delimiter_advice(line, Answers::kOptional)));
}

Format find_tags_format(LineReader& lines, const ReadOptions& options) {
  if (find_conll_layout(lines) == ConllLayout::kUniversal) return Format::kConllu;
  const bool plain = options.answers == Answers::kOptional && options.tag_column.empty() &&
                     looks_like_sentences(lines);
  return plain ? Format::kLines : Format::kConll;
}

// Formats that do not hold the answers asked for are refused.
void check_answers(const std::string& path, Format format, const ReadOptions& options) {
  if (format == Format::kLines && options.answers == Answers::kOptional) return;
  const bool tags = options.answer == AnswerKind::kTags;
  if (options.answer == AnswerKind::kSequence) {
    if (has_columns(format)) return;
    throw UsageError(fmt::format(
        "{}: the format {} does not hold pairs of texts, expected csv, tsv or jsonl, or two files "
        "of lines that belong together",
        path, name_of(format)));
  }
  if (format != Format::kLines && format != Format::kFolder && for_tags(format) == tags) return;
  throw UsageError(fmt::format("{}: the format {} does not hold {}, expected {}", path,
                               name_of(format), tags ? "tagged words" : "labelled texts",
                               tags ? "conllu or conll" : "csv, tsv, jsonl, fasttext or folder"));
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return path != "-" && std::filesystem::is_directory(path, error);
}

}  // namespace

bool is_table(const std::string& path, const ReadOptions& options) {
  const Format asked = format_from(options.format);
  return has_columns(asked == Format::kUnknown ? format_of_name(path) : asked);
}

std::unique_ptr<RecordSource> open_text(const std::string& path, const ReadOptions& options) {
  const Format asked = format_from(options.format);
  if (options.answer == AnswerKind::kLabel &&
      (asked == Format::kFolder || (asked == Format::kUnknown && is_folder(path)))) {
    if (!is_folder(path) && file_exists(path)) {
      throw IoError(path + ": is a file, expected a folder with a folder for each class");
    }
    refuse_unused(Format::kFolder, options);
    return std::make_unique<ClassFolderSource>(path);
  }
  return open_text(LineReader(path), options);
}

std::unique_ptr<RecordSource> open_text(LineReader lines, const ReadOptions& options) {
  const bool tags = options.answer == AnswerKind::kTags;
  Format format = format_from(options.format);
  const std::string path = lines.path();
  const std::string& line = first_line(lines, format);
  if (format == Format::kUnknown) format = format_of_name(path);
  if (format == Format::kUnknown) {
    format = tags ? find_tags_format(lines, options) : find_label_format(path, line, options);
  }
  check_answers(path, format, options);
  refuse_unused(format, options);
  ReadOptions chosen = options;
  chosen.format = name_of(format);
  switch (format) {
    case Format::kJsonl:
      return std::make_unique<JsonlSource>(std::move(lines), chosen);
    case Format::kFasttext:
      return std::make_unique<FasttextSource>(std::move(lines), chosen);
    case Format::kConllu:
      return std::make_unique<ConllSource>(std::move(lines), ConllLayout::kUniversal, chosen);
    case Format::kConll:
      return std::make_unique<ConllSource>(std::move(lines), ConllLayout::kColumns, chosen);
    case Format::kLines:
      if (tags) return std::make_unique<SentenceLinesSource>(std::move(lines));
      return std::make_unique<PlainTextSource>(std::move(lines));
    default:
      return std::make_unique<CsvSource>(std::move(lines), chosen);
  }
}

}  // namespace heed
