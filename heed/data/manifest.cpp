#include "heed/data/manifest.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

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
  options.answer = AnswerKind::kLabel;
  options.tag_column.clear();
  options.content = kind;
  try {
    const std::unique_ptr<RecordSource> rows = open_text(path, options);
    Record record;
    if (!rows->next(record)) return {};
    const auto* recording = std::get_if<Recording>(&record.content);
    if (recording != nullptr) return {rows->columns().text, *recording->file};
    const auto* text = std::get_if<Text>(&record.content);
    return text == nullptr ? First() : First{rows->columns().text, text->text};
  } catch (const Error&) {
    return {};  // whoever reads it says what is wrong
  }
}

}  // namespace

ManifestSource::ManifestSource(std::unique_ptr<RecordSource> rows, const std::string& path,
                               ContentKind kind, const ReadOptions& options)
    : rows_(std::move(rows)),
      folder_(fs::path(path).parent_path().string()),
      kind_(kind),
      skip_bad_(options.skip_bad) {}

bool ManifestSource::next(Record& record) {
  if (!rows_->next(record)) return false;
  const auto* part = std::get_if<Recording>(&record.content);
  const std::string& name = part == nullptr ? std::get<Text>(record.content).text : *part->file;
  std::string file = (fs::path(folder_) / name).string();
  std::error_code error;
  if (!skip_bad_ && !fs::exists(file, error)) {
    throw FormatError(record.place.text() + ": there is no file " + file);
  }
  if (part == nullptr) {
    record.content = file_content(kind_, std::move(file));
    return true;
  }
  if (part->end != 0.0 && part->end <= part->begin) {
    throw FormatError(fmt::format("{}: the part from {} to {} seconds ends before it begins",
                                  record.place.text(), part->begin, part->end));
  }
  record.content = Recording{.file = std::move(file), .begin = part->begin, .end = part->end};
  return true;
}

SpanManifest::SpanManifest(RecordSource& rows) {
  std::map<std::string, std::size_t> places;
  for (Record row; rows.next(row);) {
    const auto& part = std::get<Recording>(row.content);
    const auto [place, fresh] = places.try_emplace(*part.file, records_.size());
    if (fresh) {
      Record& record = records_.emplace_back();
      record.content = Recording{.file = *part.file};
      record.place = {std::make_shared<const std::string>(*part.file), 0};
      if (!row.extras->group.empty()) record.extras.edit().group = row.extras->group;
    }
    const auto* label = std::get_if<Label>(&row.answer);
    if (label == nullptr) continue;
    if (part.end == 0.0) {
      throw FormatError(row.place.text() +
                        ": a span without an end; expected columns start, end and label");
    }
    Record& record = records_[place->second];
    if (!std::holds_alternative<Spans>(record.answer)) record.answer = Spans();
    std::get<Spans>(record.answer).spans.push_back({part.begin, part.end, label->name});
  }
  columns_ = rows.columns();
}

bool SpanManifest::next(Record& record) {
  if (records_.empty()) return false;
  record = std::move(records_.front());
  records_.pop_front();
  return true;
}

ContentKind content_of_manifest(const std::string& path, const ReadOptions& options) {
  if (names_a_text_column({first_of(path, options, ContentKind::kText).column})) {
    return ContentKind::kText;
  }
  const First first = first_of(path, options, ContentKind::kAudio);
  const ContentKind kind =
      first.column.empty() ? ContentKind::kUnknown : content_of_name(first.value);
  return kind == ContentKind::kUnknown ? ContentKind::kText : kind;
}

}  // namespace heed
