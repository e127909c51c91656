#include "heed/base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "heed/base/error.h"

namespace heed {

FolderLock::FolderLock(const std::string& path) : path_(path) {
  while (open_folder()) {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(std::exchange(descriptor_, -1));
      throw UsageError(path_ +
                       ": another training works in this folder; wait for its end, or choose "
                       "another folder");
    }
    if (holds()) return;
    close(std::exchange(descriptor_, -1));  // it went between being opened and being locked
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool FolderLock::holds() const {
  struct stat locked {};
  struct stat there {};
  return descriptor_ >= 0 && fstat(descriptor_, &locked) == 0 && stat(path_.c_str(), &there) == 0 &&
         locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
}

// False where there is none.
bool FolderLock::open_folder() {
  descriptor_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ >= 0) return true;
  const int reason = errno;
  if (reason == ENOENT) return false;
  throw IoError(path_ + ": cannot read: " + std::strerror(reason));
}

}  // namespace heed
