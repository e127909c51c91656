#include "heed/data/open.h"

#include <filesystem>

#include "heed/base/error.h"
#include "heed/data/audio/sound_input.h"
#include "heed/data/content.h"
#include "heed/data/file_records.h"
#include "heed/data/image/open.h"
#include "heed/data/manifest.h"
#include "heed/data/pairs.h"
#include "heed/data/text/open.h"
#include "heed/data/texts.h"

namespace heed {
namespace {

// Where several labels are asked for and the source gives one, such as a folder for each class.
class SingleLabels : public RecordSource {
 public:
  explicit SingleLabels(std::unique_ptr<RecordSource> source) : source_(std::move(source)) {}

  bool next(Record& record) override {
    if (!source_->next(record)) return false;
    if (auto* label = std::get_if<Label>(&record.answer)) {
      std::string name = std::move(label->name);
      record.answer = Labels{{std::move(name)}};
    }
    return true;
  }
  bool ready() override { return source_->ready(); }
  Index repaired() const override { return source_->repaired(); }
  std::vector<std::string> column_names() const override { return source_->column_names(); }
  KnownColumns columns() const override { return source_->columns(); }

 private:
  std::unique_ptr<RecordSource> source_;
};

// Recordings or pictures.
std::unique_ptr<RecordSource> open_files(const std::string& path, ContentKind kind,
                                         ReadOptions options) {
  if (path == "-" && kind == ContentKind::kAudio) {
    return std::make_unique<SoundInput>(options.raw_rate, options.window);
  }
  if (kind == ContentKind::kImage) {
    if (auto pictures = open_pictures(path, options)) return pictures;
  }
  const bool optional = options.answers == Answers::kOptional;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    if (options.answer == AnswerKind::kTags && !optional) {
      throw FormatError(path +
                        ": a folder; expected a table with the columns path, start, end and "
                        "label, a row for each span of time");
    }
    if (optional) return std::make_unique<FileRecords>(path, kind);
    return std::make_unique<FolderRecords>(path, kind);
  }
  if (content_of_name(path) == kind) {
    if (!optional) {
      throw FormatError(path +
                        ": a file without a label; expected a folder for each class, or a "
                        "table with the columns path and label");
    }
    return std::make_unique<SingleFile>(path, kind);
  }
  options.content = kind;
  const bool spans = options.answer == AnswerKind::kTags && kind == ContentKind::kAudio;
  if (spans) options.answer = AnswerKind::kLabel;
  auto rows = std::make_unique<ManifestSource>(open_text(path, options), path, kind, options);
  if (!spans || options.keep) return rows;  // a row that is kept is a record of its own
  return std::make_unique<SpanManifest>(*rows);
}

}  // namespace

std::unique_ptr<RecordSource> open_records(const std::string& path, const ReadOptions& options) {
  if (options.answer == AnswerKind::kItself) return open_texts(path, options);
  const ContentKind kind = find_content(path, options);
  std::unique_ptr<RecordSource> source =
      kind == ContentKind::kText ? open_text(path, options) : open_files(path, kind, options);
  if (options.answer == AnswerKind::kLabels) {
    return std::make_unique<SingleLabels>(std::move(source));
  }
  if (options.answer != AnswerKind::kSequence) return source;
  return std::make_unique<TableOfPairs>(std::move(source));
}

std::unique_ptr<RecordSource> open_piped(LineReader lines, const ReadOptions& options) {
  std::unique_ptr<RecordSource> source = open_text(std::move(lines), options);
  if (options.answer != AnswerKind::kSequence) return source;
  return std::make_unique<TableOfPairs>(std::move(source));
}

}  // namespace heed
