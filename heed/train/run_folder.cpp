#include "heed/train/run_folder.h"

#include <fmt/format.h>

#include <filesystem>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/model/folder.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Of a model besides its weights and its description.
constexpr const char* kRecords[] = {"training.json", "training.jsonl", "curve.svg", "metrics.json"};

// As cp would: the new file, or none where there is no new one.
void copy_or_remove(const std::string& from, const std::string& to) {
  if (file_exists(from)) {
    write_file(to, read_file(from));
  } else {
    remove_file(to);
  }
}

}  // namespace

RunFolder::RunFolder(std::string path) : path_(std::move(path)), lock_(path_) {}

RunFolder::~RunFolder() {
  if (!own_) return;
  std::error_code ignored;
  if (lock_.holds()) fs::remove_all(run(), ignored);
  // Only what is empty goes.
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) fs::remove(*folder, ignored);
}

std::string RunFolder::run() const { return run_folder(path_); }
std::string RunFolder::file(const std::string& name) const { return run() + "/" + name; }
std::string RunFolder::result() const { return result_folder(path_); }

bool RunFolder::begun() const { return file_exists(file(kRunFile)); }
bool RunFolder::ready() const { return file_exists(result() + "/" + kWeightsFile); }

void RunFolder::begin() {
  if (!lock_.holds()) make();
  if (ready()) publish();  // the model that an earlier run finished is the one that stays
  clear();
  own_ = true;
  make_folder(run());
}

// Makes the folder and those above it. If somebody else was faster, the folder is theirs.
void RunFolder::make() {
  std::error_code error;
  std::vector<std::string> missing;
  fs::path place = fs::absolute(path_, error).lexically_normal();
  for (; place.has_relative_path() && !file_exists(place.string()); place = place.parent_path()) {
    if (place.has_filename()) missing.push_back(place.string());
  }
  bool first = false;
  own_ = true;
  for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder) {
    first = fs::create_directory(*folder, error);
    if (error) throw IoError(path_ + ": cannot make the folder: " + error.message());
    if (first) made_.push_back(*folder);
    sync_folder(fs::path(*folder).parent_path().string());
  }
  if (!first) throw UsageError(path_ + ": somebody else has made this folder just now");
  std::string innermost = std::move(made_.back());  // not ours before it is locked
  made_.pop_back();
  lock_ = FolderLock(path_);
  check();
  made_.push_back(std::move(innermost));
}

void RunFolder::check() const {
  if (lock_.holds()) return;
  throw IoError(path_ + ": the folder was removed or replaced while a run trained into it");
}

// Readers take the model in checkpoint/model/ where the folder has no weights (load_model): between
// the first line and the last that is the one that is whole.
void RunFolder::publish() {
  check();
  remove_file(path_ + "/" + kWeightsFile);
  std::vector<std::string> names = description_files();
  names.insert(names.end(), std::begin(kRecords), std::end(kRecords));
  for (const std::string& name : names) {
    copy_or_remove(result() + "/" + name, path_ + "/" + name);
  }
  remove_file(file(kRunFile));
  move_file(result() + "/" + kWeightsFile, path_ + "/" + kWeightsFile);
  clear();
}

void RunFolder::clear() {
  remove_file(file(kRunFile));  // first: what is left then is no run
  std::error_code error;
  fs::remove_all(run(), error);
  if (error) throw IoError(run() + ": cannot remove: " + error.message());
}

bool resumable(const std::string& folder) {
  return file_exists(run_folder(folder) + "/" + kRunFile) ||
         file_exists(result_folder(folder) + "/" + kWeightsFile);
}

void check_room(const std::string& folder, std::uintmax_t checkpoint) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(folder, error);
  while (!file_exists(place.string()) && place.has_relative_path()) place = place.parent_path();
  const std::filesystem::space_info space = std::filesystem::space(place, error);
  const std::uintmax_t needed = 2 * checkpoint;
  if (error || space.available >= needed) return;
  throw IoError(fmt::format("{}: the disk has {:.1f} MB left, and training needs {:.1f} MB", folder,
                            1e-6 * static_cast<double>(space.available),
                            1e-6 * static_cast<double>(needed)));
}

}  // namespace heed
