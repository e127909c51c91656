#include "heed/data/open.h"

#include <filesystem>

#include "heed/base/error.h"
#include "heed/data/content.h"
#include "heed/data/file_records.h"
#include "heed/data/manifest.h"
#include "heed/data/text/open.h"

namespace heed {
namespace {

// Recordings or pictures.
std::unique_ptr<RecordSource> open_files(const std::string& path, ContentKind kind,
                                         ReadOptions options) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return std::make_unique<FolderRecords>(path, kind);
  }
  if (content_of_name(path) == kind) {
    if (options.answers == Answers::kRequired) {
      throw FormatError(path +
                        ": a file without a label; expected a folder for each class, or a "
                        "table with the columns path and label");
    }
    return std::make_unique<SingleFile>(path, kind);
  }
  options.content = kind;
  return std::make_unique<ManifestSource>(open_text(path, options), path, kind);
}

}  // namespace

std::unique_ptr<RecordSource> open_records(const std::string& path, const ReadOptions& options) {
  const ContentKind kind = find_content(path, options);
  return kind == ContentKind::kText ? open_text(path, options) : open_files(path, kind, options);
}

}  // namespace heed
