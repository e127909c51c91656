#include "heed/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* what) {
  const int reason = errno;
  throw IoError(path + ": " + what + ": " + std::strerror(reason));
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  // Closing can be the moment at which a full disk shows.
  bool finish() { return close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path, "cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

std::string read_file(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) refuse(path, "cannot read");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) refuse(path, "cannot read");
  if (S_ISDIR(status.st_mode)) throw IoError(path + ": is a folder, expected a file");
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(status.st_size));
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, "cannot read");
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

void write_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".part";
  try {
    Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.get() < 0) refuse(path, "cannot write");
    write_all(file.get(), bytes, path);
    if (fsync(file.get()) != 0 || !file.finish()) refuse(path, "cannot write");
    if (rename(temporary.c_str(), path.c_str()) != 0) refuse(path, "cannot write");
  } catch (...) {
    unlink(temporary.c_str());
    throw;
  }
  // The new name is safe once its folder is.
  const std::string parent = std::filesystem::path(path).parent_path().string();
  const Descriptor folder(open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_CLOEXEC));
  if (folder.get() >= 0) fsync(folder.get());
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw IoError(path + ": cannot make the folder: " + error.message());
}

bool file_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace heed
