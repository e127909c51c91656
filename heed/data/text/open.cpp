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
#include "heed/data/text/tagged_lines.h"
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

void refuse_unused(Format format, const TextReadOptions& options) {
  const auto refuse = [&](std::string_view option, const std::string& value) {
    if (value.empty()) return;
    throw UsageError(
        fmt::format("--{} {}: the format {} has no use for it", option, value, name_of(format)));
  };
  if (!has_columns(format) && !for_tags(format)) refuse("text-column", options.text_column);
  if (!has_columns(format)) {
    refuse("label-column", options.label_column);
    refuse("group-column", options.group_column);
  }
  if (!for_tags(format)) refuse("tag-column", options.tag_column);
  if (format != Format::kCsv && format != Format::kTsv) refuse("delimiter", options.delimiter);
}

[[noreturn]] void refuse_format(const std::string& path, Format format, std::string_view task,
                                std::string_view expected) {
  throw UsageError(fmt::format("{}: the format {} does not hold {}, expected {}", path,
                               name_of(format), task, expected));
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return path != "-" && std::filesystem::is_directory(path, error);
}

}  // namespace

std::unique_ptr<TextSource> open_text(const std::string& path, const TextReadOptions& options) {
  const Format asked = format_from(options.format);
  if (asked == Format::kFolder || (asked == Format::kUnknown && is_folder(path))) {
    if (!is_folder(path) && file_exists(path)) {
      throw IoError(path + ": is a file, expected a folder with a folder for each class");
    }
    refuse_unused(Format::kFolder, options);
    return std::make_unique<ClassFolderSource>(path);
  }
  return open_text(LineReader(path), options);
}

std::unique_ptr<TextSource> open_text(LineReader lines, const TextReadOptions& options) {
  Format format = format_from(options.format);
  const std::string path = lines.path();
  const std::string& line = first_line(lines, format);
  if (format == Format::kUnknown) format = format_of_name(path);
  if (format == Format::kUnknown && !options.delimiter.empty()) format = Format::kCsv;
  if (format == Format::kUnknown) format = format_of_line(line);
  if (format == Format::kUnknown) {
    if (options.labels == Labels::kRequired) {
      throw FormatError(fmt::format(
          "{}: cannot tell the format from its name or from \"{}\"; choose with --format csv, tsv, "
          "jsonl or fasttext{}",
          path, shortened(line), delimiter_advice(line, Labels::kOptional)));
    }
    format = Format::kLines;
  }
  if (for_tags(format) || format == Format::kFolder ||
      (format == Format::kLines && options.labels == Labels::kRequired)) {
    refuse_format(path, format, "labelled texts", "csv, tsv, jsonl, fasttext or folder");
  }
  refuse_unused(format, options);
  TextReadOptions chosen = options;
  chosen.format = name_of(format);
  if (format == Format::kJsonl) return std::make_unique<JsonlSource>(std::move(lines), chosen);
  if (format == Format::kFasttext) {
    return std::make_unique<FasttextSource>(std::move(lines), chosen);
  }
  if (format == Format::kLines) return std::make_unique<PlainTextSource>(std::move(lines));
  return std::make_unique<CsvSource>(std::move(lines), chosen);
}

std::unique_ptr<TaggedSource> open_tagged(const std::string& path, const TextReadOptions& options) {
  return open_tagged(LineReader(path), options);
}

std::unique_ptr<TaggedSource> open_tagged(LineReader lines, const TextReadOptions& options) {
  Format format = format_from(options.format);
  const std::string path = lines.path();
  first_line(lines, format);
  if (format == Format::kUnknown) format = format_of_name(path);
  if (format == Format::kUnknown) {
    format = find_conll_layout(lines) == ConllLayout::kUniversal ? Format::kConllu : Format::kConll;
    if (format == Format::kConll && options.labels == Labels::kOptional &&
        options.tag_column.empty() && looks_like_sentences(lines)) {
      format = Format::kLines;
    }
  }
  const bool plain = format == Format::kLines && options.labels == Labels::kOptional;
  if (!for_tags(format) && !plain) {
    refuse_format(path, format, "tagged words", "conllu or conll");
  }
  refuse_unused(format, options);
  if (plain) return std::make_unique<TaggedLinesSource>(std::move(lines));
  return std::make_unique<ConllSource>(
      std::move(lines), format == Format::kConllu ? ConllLayout::kUniversal : ConllLayout::kColumns,
      options);
}

TextFile read_all_text(const std::string& path, const TextReadOptions& options) {
  const std::unique_ptr<TextSource> source = open_text(path, options);
  TextFile file;
  for (LabelledText example; source->next(example);) file.examples.push_back(std::move(example));
  if (file.examples.empty()) throw FormatError(path + ": has no examples");
  file.repaired = source->repaired();
  file.columns = source->columns();
  return file;
}

TaggedFile read_all_tagged(const std::string& path, const TextReadOptions& options) {
  const std::unique_ptr<TaggedSource> source = open_tagged(path, options);
  TaggedFile file;
  for (TaggedSentence next; source->next(next);) file.sentences.push_back(std::move(next));
  if (file.sentences.empty()) throw FormatError(path + ": has no sentences");
  file.repaired = source->repaired();
  file.columns = source->columns();
  return file;
}

}  // namespace heed
