#pragma once

#include <string>
#include <utility>

namespace heed {

// A folder in which this process works alone. The lock is on the folder itself: it needs no file,
// and it ends with the process, however that ends. A file system that has no locks gives none.
class FolderLock {
 public:
  // None.
  FolderLock() = default;
  // A folder that somebody else has locked is a UsageError; where there is none, nor is a lock.
  explicit FolderLock(const std::string& path);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept
      : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Whether the folder of that name is still the one that was locked, and not another one that was
  // put in its place.
  bool holds() const;

 private:
  bool open_folder();

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace heed
