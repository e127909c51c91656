#include "heed/data/image/archive.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "heed/base/error.h"
#include "heed/data/byte_source.h"
#include "heed/data/image/cifar.h"
#include "heed/data/image/idx.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

std::string lower_name(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

// data_batch_3.bin
bool is_batch(std::string_view name) {
  return (name.starts_with("data_batch") || name.starts_with("test_batch")) &&
         name.ends_with(".bin");
}

std::string first_bytes(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  try {
    ByteSource source = ByteSource::open(path);
    std::string bytes(4, '\0');
    std::size_t count = 0;
    while (count < bytes.size()) {
      const std::size_t more = source.read(bytes.data() + count, bytes.size() - count);
      if (more == 0) break;
      count += more;
    }
    bytes.resize(count);
    return bytes;
  } catch (const Error&) {
    return {};  // whoever reads it says what is wrong
  }
}

// Such a name is common: what it holds must fit too, as far as that can be told.
bool is_cifar100(const std::string& path, const std::string& name) {
  if (name != "train.bin" && name != "test.bin") return false;
  if (fs::exists(fs::path(path).parent_path() / kFineNames)) return true;
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  return !error && bytes > 0 && bytes % kCifar100Bytes == 0;
}

}  // namespace

Archive archive_of(const std::string& path) {
  const std::string name = lower_name(path);
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("idx3-ubyte") || has("idx4-ubyte") || name.ends_with(".idx3") ||
      name.ends_with(".idx4")) {
    return Archive::kIdx;
  }
  if (is_batch(name)) return Archive::kCifar10;
  if (is_cifar100(path, name)) return Archive::kCifar100;
  const std::string first = first_bytes(path);
  return is_idx_of_pictures(first) ? Archive::kIdx : Archive::kNone;
}

std::unique_ptr<RecordSource> open_archive(const std::string& path, Archive archive,
                                           Answers answers) {
  if (archive == Archive::kIdx) return std::make_unique<IdxSource>(path, answers);
  return std::make_unique<CifarSource>(path, archive == Archive::kCifar100
                                                 ? CifarSource::Classes::kHundred
                                                 : CifarSource::Classes::kTen);
}

}  // namespace heed
