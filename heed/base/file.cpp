#include "heed/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr std::size_t kPiece = 1 << 16;

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

// A new name is safe once its folder is.
void sync_folder_of(const std::filesystem::path& path) {
  const std::string parent = path.parent_path().string();
  sync_folder(parent.empty() ? "." : parent);
}

// Where a path leads once links are followed; the last one may lead to what is not there yet.
std::string followed(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr int kMostLinks = 40;  // as Linux has it
  std::error_code error;
  fs::path place = path;
  for (int links = 0; fs::is_symlink(fs::symlink_status(place, error)); ++links) {
    const fs::path target = fs::read_symlink(place, error);
    if (error || links == kMostLinks) {
      errno = error ? error.value() : ELOOP;
      refuse(path, "cannot write");
    }
    place = place.parent_path() / target;
  }
  return place.string();
}

// Whether there is something that a rename would destroy in place of writing to it.
bool is_special(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
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
  char buffer[kPiece];
  for (;;) {
    const ssize_t got = read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, "cannot read");
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
}

FileWriter::FileWriter(const std::string& path) : path_(path) {
  int flags = O_WRONLY | O_CLOEXEC;
  if (!is_special(path)) {
    target_ = followed(path);
    temporary_ = target_ + ".part";
    flags |= O_CREAT | O_TRUNC;
  }
  descriptor_ = open((temporary_.empty() ? path : temporary_).c_str(), flags, 0666);
  if (descriptor_ < 0) refuse(path_, "cannot write");
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void FileWriter::write(std::string_view bytes) {
  if (waiting_.size() + bytes.size() < kPiece) {
    waiting_ += bytes;
    return;
  }
  write_all(descriptor_, waiting_, path_);
  waiting_.clear();
  write_all(descriptor_, bytes, path_);
}

void FileWriter::finish() {
  write_all(descriptor_, waiting_, path_);
  waiting_.clear();
  // Syncing or closing can be the moment at which a full disk shows. A pipe cannot be synced.
  const bool synced = fsync(descriptor_) == 0 || (temporary_.empty() && errno == EINVAL);
  if (!synced || close(std::exchange(descriptor_, -1)) != 0) refuse(path_, "cannot write");
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) refuse(path_, "cannot write");
  temporary_.clear();
  sync_folder_of(target_);
}

void write_file(const std::string& path, std::string_view bytes) {
  FileWriter file(path);
  file.write(bytes);
  file.finish();
}

void append_file(const std::string& path, std::string_view bytes) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file.get() < 0) refuse(path, "cannot write");
  write_all(file.get(), bytes, path);
}

void move_file(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) refuse(to, "cannot write");
  sync_folder_of(to);
}

void remove_file(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return;
  refuse(path, "cannot remove");
}

void make_folder(const std::string& path) {
  namespace fs = std::filesystem;
  const auto check = [&](const std::error_code& error) {
    if (error) throw IoError(path + ": cannot make the folder: " + error.message());
  };
  std::error_code error;
  std::vector<fs::path> missing;  // the innermost first
  for (fs::path place = path; !place.empty() && !fs::exists(place, error);
       place = place.parent_path()) {
    if (place.has_filename()) missing.push_back(place);
  }
  for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder) {
    fs::create_directory(*folder, error);
    check(error);
    sync_folder_of(*folder);
  }
  if (!fs::is_directory(path, error)) check(std::make_error_code(std::errc::not_a_directory));
}

void sync_folder(const std::string& path) {
  const Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) refuse(path, "cannot sync the folder");
  // EINVAL: a file system without such a thing, where there is nothing more to do.
  if (fsync(folder.get()) != 0 && errno != EINVAL) refuse(path, "cannot sync the folder");
}

bool file_exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace heed
