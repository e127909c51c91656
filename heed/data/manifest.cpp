#include "heed/data/manifest.h"

#include <filesystem>

#include "heed/base/error.h"
#include "heed/data/content.h"
#include "heed/data/text/columns.h"
#include "heed/data/text/open.h"

namespace heed {

namespace fs = std::filesystem;

namespace {

struct First {
  std::string column, value;
};

// The column that is read for this kind of content, and what is in its first row; nothing where
// there is none.
First first_of(const std::string& path, ReadOptions options, ContentKind kind) {
  options.answers = Answers::kOptional;
  options.content = kind;
  try {
    const std::unique_ptr<RecordSource> rows = open_text(path, options);
    Record record;
    if (!rows->next(record)) return {};
    const auto* text = std::get_if<Text>(&record.content);
    return text == nullptr ? First() : First{rows->columns().text, text->text};
  } catch (const Error&) {
    return {};  // whoever reads it says what is wrong
  }
}

}  // namespace

ManifestSource::ManifestSource(std::unique_ptr<RecordSource> rows, const std::string& path,
                               ContentKind kind)
    : rows_(std::move(rows)), folder_(fs::path(path).parent_path().string()), kind_(kind) {}

bool ManifestSource::next(Record& record) {
  if (!rows_->next(record)) return false;
  const std::string& name = std::get<Text>(record.content).text;
  const std::string file = (fs::path(folder_) / name).string();
  std::error_code error;
  if (!fs::exists(file, error)) {
    throw FormatError(record.place.text() + ": there is no file " + file);
  }
  record.content = file_content(kind_, file);
  return true;
}

ContentKind content_of_manifest(const std::string& path, const ReadOptions& options) {
  if (options.answer != AnswerKind::kLabel) return ContentKind::kText;
  if (names_a_text_column({first_of(path, options, ContentKind::kText).column})) {
    return ContentKind::kText;
  }
  const First first = first_of(path, options, ContentKind::kAudio);
  const ContentKind kind =
      first.column.empty() ? ContentKind::kUnknown : content_of_name(first.value);
  return kind == ContentKind::kUnknown ? ContentKind::kText : kind;
}

}  // namespace heed
