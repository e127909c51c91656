#pragma once

#include <string>
#include <string_view>

namespace heed {

// The whole of a file. What the operating system refuses is an IoError with the path and its
// reason.
std::string read_file(const std::string& path);

// Writes a file so that, whatever happens, either the old or the new one is there, whole: beside
// its final name, synced, then renamed. A full disk or a missing permission is an IoError, and
// nothing is left behind.
void write_file(const std::string& path, std::string_view bytes);

// Makes a folder and those above it.
void make_folder(const std::string& path);

bool file_exists(const std::string& path);

}  // namespace heed
