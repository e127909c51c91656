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
#include "heed/data/text/sentence_texts.h"
#include "heed/data/utf8.h"

namespace heed {
namespace {

enum class Format {
  kCsv,
  kTsv,
  kJsonl,
  kFasttext,
  kFolder,
  kConllu,
  kConll,
  kLines,
  kWords,
  kUnknown
};

struct FormatName {
  std::string_view name;
  Format format;
};
constexpr std::array<FormatName, 9> kFormats = {{{"csv", Format::kCsv},
                                                 {"tsv", Format::kTsv},
                                                 {"jsonl", Format::kJsonl},
                                                 {"fasttext", Format::kFasttext},
                                                 {"folder", Format::kFolder},
                                                 {"conllu", Format::kConllu},
                                                 {"conll", Format::kConll},
                                                 {"lines", Format::kLines},
                                                 {"words", Format::kWords}}};
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
  constexpr std::size_t kBlankLines = 1000;
  const std::string* line = lines.peek();
  if (line == nullptr) throw FormatError(lines.path() + ": is empty");
  if (format == Format::kLines || format == Format::kWords) return *line;
  for (std::size_t ahead = 1; line != nullptr && is_blank(*line) && ahead < kBlankLines; ++ahead) {
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
    refuse("text-column", options.second_column);
  }
  if (!has_columns(format)) {
    refuse(pairs ? "target-column" : "label-column", options.label_column);
    refuse("group-column", options.group_column);
  }
  if (!for_tags(format)) refuse("tag-column", options.tag_column);
  if (format != Format::kCsv && format != Format::kTsv) refuse("delimiter", options.delimiter);
  if (!has_columns(format)) refuse("label-separator", options.label_separator);
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
  const bool tags = options.answer == AnswerKind::kTags;
  const bool optional = options.answers == Answers::kOptional;
  if (format == Format::kLines && optional) return;
  // Texts that are to be tagged are split into words, wherever they stand.
  if (tags && optional && (has_columns(format) || format == Format::kFasttext)) return;
  if (tags && optional && format == Format::kWords) return;
  if (options.answer == AnswerKind::kSequence) {
    if (has_columns(format)) return;
    throw UsageError(fmt::format(
        "{}: the format {} does not hold pairs of texts, expected csv, tsv or jsonl, or two files "
        "of lines that belong together",
        path, name_of(format)));
  }
  const bool alone = format == Format::kLines || format == Format::kWords;
  if (!alone && format != Format::kFolder && for_tags(format) == tags) return;
  throw UsageError(fmt::format("{}: the format {} does not hold {}, expected {}", path,
                               name_of(format), tags ? "tagged words" : "labelled texts",
                               tags ? "conllu or conll" : "csv, tsv, jsonl, fasttext or folder"));
}

// Texts for a model that tags words are split into words.
std::unique_ptr<RecordSource> for_answers(std::unique_ptr<RecordSource> texts, Format format,
                                          const ReadOptions& options) {
  if (options.answer != AnswerKind::kTags || options.answers == Answers::kRequired) return texts;
  return std::make_unique<SentenceTexts>(
      std::move(texts),
      format == Format::kWords ? SentenceTexts::Split::kSpaces : SentenceTexts::Split::kWords,
      options.knows);
}

// Whether there is a column of texts among those names: the model's own, or a usual one.
bool names_a_text(const std::vector<std::string>& names, const ReadOptions& options) {
  const std::string& wanted =
      options.text_column.empty() ? options.known.text : options.text_column;
  const bool known =
      !wanted.empty() && std::find(names.begin(), names.end(), wanted) != names.end();
  return known || names_a_text_column(names);
}

// Whether a line names the columns of a table and is hardly a text itself.
bool names_columns(const std::string& line, const ReadOptions& options) {
  constexpr std::size_t kLongestName = 40;
  const std::vector<std::string> names = split_header(line, find_delimiter(line));
  if (names.size() == 1) return !options.known.text.empty() && line == options.known.text;
  const bool short_words = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return name == options.known.text || name == options.known.label ||
           (name.size() <= kLongestName && name.find(' ') == std::string::npos);
  });
  // Behind a comma in a sentence there is a space.
  return short_words && line.find(", ") == std::string::npos && names_a_text(names, options);
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return path != "-" && std::filesystem::is_directory(path, error);
}

// The options with what stands between several labels in a field, found out by reading the file.
ReadOptions with_separator(const std::string& path, ReadOptions options) {
  const bool needed = options.answer == AnswerKind::kLabels &&
                      options.answers == Answers::kRequired && options.label_separator.empty() &&
                      options.known.separator.empty() && path != "-";
  const Format asked = format_from(options.format);
  const Format format = asked == Format::kUnknown ? format_of_name(path) : asked;
  if (!needed || format == Format::kJsonl || !has_columns(format)) return options;
  ReadOptions one = options;
  one.answer = AnswerKind::kLabel;
  one.answers = Answers::kOptional;
  const std::unique_ptr<RecordSource> rows = open_text(LineReader(path), one);
  options.label_separator = find_label_separator(*rows);
  if (options.label_separator.empty()) options.label_separator = "none";
  return options;
}

}  // namespace

bool is_table(const std::string& path, const ReadOptions& options) {
  const Format asked = format_from(options.format);
  return has_columns(asked == Format::kUnknown ? format_of_name(path) : asked);
}

std::unique_ptr<RecordSource> open_text(const std::string& path, const ReadOptions& options) {
  const Format asked = format_from(options.format);
  if (options.answers == Answers::kOptional && is_folder(path) &&
      (asked == Format::kFolder || asked == Format::kUnknown)) {
    refuse_unused(Format::kFolder, options);
    return for_answers(std::make_unique<TextFilesSource>(path), Format::kFolder, options);
  }
  const bool labels = options.answer == AnswerKind::kLabel || options.answer == AnswerKind::kLabels;
  if (labels && (asked == Format::kFolder || (asked == Format::kUnknown && is_folder(path)))) {
    if (!is_folder(path) && file_exists(path)) {
      throw IoError(path + ": is a file, expected a folder with a folder for each class");
    }
    refuse_unused(Format::kFolder, options);
    return std::make_unique<ClassFolderSource>(path);
  }
  return open_text(LineReader(path), with_separator(path, options));
}

std::unique_ptr<RecordSource> open_text(LineReader lines, const ReadOptions& options) {
  const bool tags = options.answer == AnswerKind::kTags;
  const bool optional = options.answers == Answers::kOptional;
  if (options.keep || (tags && optional)) lines.keep_bytes();
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
      return for_answers(std::make_unique<JsonlSource>(std::move(lines), chosen), format, options);
    case Format::kFasttext:
      return for_answers(std::make_unique<FasttextSource>(std::move(lines), chosen), format,
                         options);
    case Format::kConllu:
      return std::make_unique<ConllSource>(std::move(lines), ConllLayout::kUniversal, chosen);
    case Format::kConll:
      return std::make_unique<ConllSource>(std::move(lines), ConllLayout::kColumns, chosen);
    case Format::kLines:
    case Format::kWords:
      return for_answers(std::make_unique<PlainTextSource>(std::move(lines), chosen), format,
                         options);
    default:
      return for_answers(std::make_unique<CsvSource>(std::move(lines), chosen), format, options);
  }
}

std::string find_piped_format(LineReader& lines, const ReadOptions& options) {
  const bool tags = options.answer == AnswerKind::kTags;
  if (options.keep || tags) lines.keep_bytes();
  const std::string* line = lines.peek();
  if (line == nullptr || is_blank(*line)) return "lines";
  if (!options.delimiter.empty()) return "csv";
  if (tags) {
    if (line->starts_with("# ") && line->find(" = ") != std::string::npos) return "conllu";
    if (line->starts_with("-DOCSTART-")) return "conll";
    if (line->find('\t') != std::string::npos && !names_columns(*line, options)) {
      return find_layout(*line) == ConllLayout::kUniversal ? "conllu" : "conll";
    }
  }
  if (line->starts_with(FasttextSource::kPrefix)) return "fasttext";
  if (line->starts_with('{') && names_a_text(keys_of(*line), options)) return "jsonl";
  if (names_columns(*line, options)) return find_delimiter(*line) == '\t' ? "tsv" : "csv";
  return "lines";
}

}  // namespace heed
