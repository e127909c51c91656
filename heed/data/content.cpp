#include "heed/data/content.h"

#include <array>
#include <filesystem>
#include <span>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/data/class_files.h"
#include "heed/data/image/archive.h"
#include "heed/data/manifest.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 10> kAudio = {".wav", ".flac", ".ogg", ".oga", ".opus",
                                                     ".mp3", ".aiff", ".aif", ".au",  ".w64"};
constexpr std::array<std::string_view, 3> kImage = {".png", ".jpg", ".jpeg"};

bool ends_in(const std::string& name, std::span<const std::string_view> endings) {
  for (const std::string_view ending : endings) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

// By the first file of the first class that says it.
ContentKind content_of_folder(const std::string& path) {
  for (const std::string& name : names_in(path)) {
    std::error_code error;
    if (!fs::is_directory(path + "/" + name, error)) continue;
    for (const std::string& file : names_in(path + "/" + name)) {
      const ContentKind kind = content_of_name(file);
      if (kind != ContentKind::kUnknown) return kind;
    }
    return ContentKind::kText;
  }
  return ContentKind::kText;
}

}  // namespace

ContentKind content_of_name(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  if (lower.ends_with(".gz")) lower.resize(lower.size() - 3);
  if (ends_in(lower, kAudio)) return ContentKind::kAudio;
  if (ends_in(lower, kImage)) return ContentKind::kImage;
  return ContentKind::kUnknown;
}

ContentKind find_content(const std::string& path, const ReadOptions& options) {
  if (options.content != ContentKind::kUnknown) return options.content;
  if (path == "-") return ContentKind::kText;
  std::error_code error;
  if (fs::is_directory(path, error)) return content_of_folder(path);
  const ContentKind kind = content_of_name(path);
  if (kind != ContentKind::kUnknown) return kind;
  if (archive_of(path) != Archive::kNone) return ContentKind::kImage;
  return fs::is_regular_file(path, error) ? content_of_manifest(path, options) : ContentKind::kText;
}

std::string plural(ContentKind kind) {
  if (kind == ContentKind::kAudio) return "recordings";
  return kind == ContentKind::kImage ? "pictures" : "texts";
}

ContentKind kind_of(const Content& content) {
  if (std::holds_alternative<Recording>(content)) return ContentKind::kAudio;
  if (std::holds_alternative<Picture>(content)) return ContentKind::kImage;
  return ContentKind::kText;
}

Content file_content(ContentKind kind, std::string file) {
  switch (kind) {
    case ContentKind::kAudio:
      return Recording{.file = std::move(file)};
    case ContentKind::kImage:
      return Picture{.file = std::move(file)};
    default:
      fail<UsageError>(file.c_str(), "expected a recording or a picture");
  }
}

}  // namespace heed
