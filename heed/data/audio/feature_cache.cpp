#include "heed/data/audio/feature_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "heed/base/checksum.h"
#include "heed/base/random.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "heedmel1";

struct Header {
  char magic[8];
  std::uint32_t checksum = 0;  // of the numbers
  std::uint32_t order = 0;     // 1, in the byte order of whoever wrote it
  std::uint64_t count = 0;     // numbers
};

struct Hash {
  std::uint64_t a = 0x243F6A8885A308D3u, b = 0x13198A2E03707344u;

  void add(std::uint64_t word) {
    a = mix(a ^ word);
    b = (std::rotl(b, 29) + word) * 0x9E3779B97F4A7C15u;
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
};

// Of a file's bytes; nothing where it cannot be read.
std::optional<Hash> hash_of_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(std::size_t{1} << 18);
  Hash hash;
  std::uint64_t size = 0;
  while (file) {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    std::memset(block.data() + count, 0, (8 - count % 8) % 8);
    for (std::size_t i = 0; i < count; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, block.data() + i, 8);
      hash.add(word);
    }
    size += count;
  }
  if (size == 0) return {};
  hash.add(size);
  return hash;
}

// The same, taken once for as long as size and time of the file stay.
std::optional<Hash> hash_of_file(const std::string& path) {
  struct Known {
    std::uintmax_t size = 0;
    fs::file_time_type time;
    Hash hash;
  };
  static std::mutex mutex;
  static std::map<std::string, Known> all;
  std::error_code error;
  Known now{fs::file_size(path, error), {}, {}};
  if (error) return {};
  now.time = fs::last_write_time(path, error);
  {
    const std::lock_guard lock(mutex);
    const auto known = all.find(path);
    if (known != all.end() && known->second.size == now.size && known->second.time == now.time) {
      return known->second.hash;
    }
  }
  const std::optional<Hash> hash = hash_of_bytes(path);
  if (!hash) return {};
  now.hash = *hash;
  const std::lock_guard lock(mutex);
  all[path] = now;
  return hash;
}

std::string_view bytes_of(const std::vector<float>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)};
}

// Nothing where there is no whole entry.
std::optional<std::vector<float>> read_entry(const std::string& path, Index bands) {
  std::ifstream file(path, std::ios::binary);
  Header header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || std::memcmp(header.magic, kMagic.data(), kMagic.size()) != 0 || header.order != 1 ||
      header.count != (size - sizeof header) / sizeof(float) ||
      header.count % static_cast<std::uint64_t>(bands) != 0) {
    return {};
  }
  std::vector<float> numbers(header.count);
  file.read(reinterpret_cast<char*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size() * sizeof(float)));
  if (!file || checksum(bytes_of(numbers)) != header.checksum) return {};
  return numbers;
}

// Not synced: what a power failure damages is computed again.
void write_entry(const std::string& path, const std::vector<float>& numbers) {
  static std::atomic<unsigned> serial = 0;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  const std::string beside = fmt::format("{}.{}.{}", path, getpid(), serial++);
  {
    std::ofstream file(beside, std::ios::binary);
    Header header;
    std::memcpy(header.magic, kMagic.data(), kMagic.size());
    header.checksum = checksum(bytes_of(numbers));
    header.order = 1;
    header.count = numbers.size();
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(bytes_of(numbers).data(), static_cast<std::streamsize>(bytes_of(numbers).size()));
    file.flush();
    if (!file) {
      file.close();
      fs::remove(beside, error);
      return;
    }
  }
  fs::rename(beside, path, error);
  if (error) fs::remove(beside, error);
}

std::string default_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + "/heed/features";
  }
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? std::string()
                                          : std::string(home) + "/.cache/heed/features";
}

}  // namespace

FeatureCache& FeatureCache::instance() {
  static FeatureCache cache(default_folder());
  return cache;
}

std::string FeatureCache::entry(const Recording& recording, const LogMelSettings& settings,
                                Index most) const {
  if (folder_.empty() || recording.sound != nullptr) return {};
  std::optional<Hash> hash = hash_of_file(*recording.file);
  if (!hash) return {};
  for (const double number : {recording.begin, recording.end, settings.rate}) hash->add(number);
  for (const Index number :
       {settings.window_samples(), settings.hop_samples(), settings.bands, most}) {
    hash->add(static_cast<std::uint64_t>(number));
  }
  const std::string name = fmt::format("{:016x}{:016x}", hash->a, hash->b);
  return folder_ + "/" + name.substr(0, 2) + "/" + name.substr(2);
}

std::vector<float> FeatureCache::features(const Recording& recording,
                                          const LogMelSettings& settings, Index most,
                                          bool store) const {
  const std::string path = entry(recording, settings, most);
  if (!path.empty()) {
    if (auto found = read_entry(path, settings.bands)) return std::move(*found);
  }
  std::vector<float> frames = log_mel(recording, settings, most);
  if (store && !path.empty()) write_entry(path, frames);
  return frames;
}

}  // namespace heed
