#include "heed/data/image/open.h"

#include <filesystem>
#include <map>

#include "heed/base/error.h"
#include "heed/data/class_files.h"
#include "heed/data/content.h"
#include "heed/data/image/archive.h"
#include "heed/data/manifest.h"
#include "heed/data/text/open.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Rows of a table whose label is the name of a mask, relative to the table.
class MaskTable : public RecordSource {
 public:
  MaskTable(const std::string& path, const ReadOptions& options)
      : folder_(fs::path(path).parent_path()),
        rows_(open_text(path, with_masks(options)), path, ContentKind::kImage, options) {}

  bool next(Record& record) override {
    if (!rows_.next(record)) return false;
    const auto* label = std::get_if<Label>(&record.answer);
    if (label == nullptr) return true;
    const std::string file = (folder_ / label->name).string();
    std::error_code error;
    if (!fs::exists(file, error)) {
      throw FormatError(record.place.text() + ": there is no mask " + file);
    }
    record.answer = Mask{Picture{.file = file}};
    return true;
  }
  const KeptRow* head() const override { return rows_.head(); }
  std::string rest() const override { return rows_.rest(); }

 private:
  static ReadOptions with_masks(ReadOptions options) {
    options.answer = AnswerKind::kLabel;
    options.content = ContentKind::kImage;
    options.known = {};
    if (options.label_column.empty() && options.answers == Answers::kRequired) {
      options.label_column = "mask";
    }
    return options;
  }

  fs::path folder_;
  ManifestSource rows_;
};

// images/a.jpg with masks/a.png.
class MaskFolder : public RecordSource {
 public:
  explicit MaskFolder(const std::string& path) : path_(path) {
    for (std::string& name : names_in(path + "/images")) {
      if (content_of_name(name) == ContentKind::kImage) names_.push_back(std::move(name));
    }
    for (const std::string& name : names_in(path + "/masks")) {
      masks_.emplace(fs::path(name).stem().string(), name);
    }
  }

  bool next(Record& record) override {
    if (done_ == names_.size()) return false;
    const std::string& name = names_[done_++];
    const std::string file = path_ + "/images/" + name;
    const auto mask = masks_.find(fs::path(name).stem().string());
    if (mask == masks_.end()) {
      throw FormatError(file + ": there is no mask of this name in " + path_ + "/masks");
    }
    record =
        make_record(Picture{.file = file}, Mask{Picture{.file = path_ + "/masks/" + mask->second}});
    record.place = {std::make_shared<const std::string>(file), 0};
    return true;
  }

 private:
  std::string path_;
  std::vector<std::string> names_;
  std::map<std::string, std::string> masks_;  // by the name without its ending
  std::size_t done_ = 0;
};

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

}  // namespace

std::unique_ptr<RecordSource> open_pictures(const std::string& path, const ReadOptions& options) {
  const bool masks = options.answer == AnswerKind::kTags && options.answers == Answers::kRequired;
  if (is_folder(path)) {
    if (!masks) return nullptr;
    if (is_folder(path + "/images") && is_folder(path + "/masks")) {
      return std::make_unique<MaskFolder>(path);
    }
    throw FormatError(path +
                      ": expected the folders images and masks in it, or a table with the "
                      "columns path and mask");
  }
  if (content_of_name(path) == ContentKind::kImage) return nullptr;
  const Archive archive = archive_of(path);
  if (archive == Archive::kNone) {
    return options.answer == AnswerKind::kTags ? std::make_unique<MaskTable>(path, options)
                                               : nullptr;
  }
  if (masks)
    throw FormatError(path +
                      ": its pictures have labels and no masks; heed train "
                      "classify learns these");
  return open_archive(path, archive, options.answers);
}

}  // namespace heed
