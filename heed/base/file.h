#pragma once

#include <string>
#include <string_view>

namespace heed {

// The whole of a file. What the operating system refuses is an IoError with the path and its
// reason.
std::string read_file(const std::string& path);

// Writes a file piece by piece so that, whatever happens, either the old or the new one is there,
// whole: beside its final name (path.part), synced, then renamed. A full disk or a missing
// permission is an IoError, and nothing is left behind; nor is when finish() is never called.
//
// A link stays, and what it leads to is replaced. What is neither a file nor a folder (a pipe, a
// device) is written into as it is.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void write(std::string_view bytes);
  // The file is there, and safe, when this returns.
  void finish();

 private:
  std::string path_;
  std::string target_;     // path_ with links followed
  std::string temporary_;  // empty where it is written directly, and once it is renamed
  std::string waiting_;    // small pieces, until there are enough for a call
  int descriptor_ = -1;    // −1 once closed
};

// The same for bytes that are there already.
void write_file(const std::string& path, std::string_view bytes);

// Adds to the end of a file, or begins one; not synced.
void append_file(const std::string& path, std::string_view bytes);

// Another name for a file, on the same disk; what had it goes.
void move_file(const std::string& from, const std::string& to);
// Where there is none, nothing happens.
void remove_file(const std::string& path);

// Makes a folder and those above it, where they are missing. All are safe when this returns: each
// is synced into the one above it.
void make_folder(const std::string& path);
// Makes names that are new in a folder, or new there, survive a power failure. A disk that fails at
// this is an IoError.
void sync_folder(const std::string& path);

bool file_exists(const std::string& path);

}  // namespace heed
