#include "heed/base/machine.h"

#include <fmt/format.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// The words of a small file; none where it cannot be read.
std::vector<std::string> words(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> result;
  for (std::string word; file >> word;) result.push_back(word);
  return result;
}

// "max" and −1 stand for no limit.
std::optional<double> limit(const std::vector<std::string>& words, std::size_t place = 0) {
  if (place >= words.size()) return std::nullopt;
  std::istringstream in(words[place]);
  double number = 0.0;
  return in >> number && number > 0.0 ? std::optional(number) : std::nullopt;
}

// Calls visit(folder) for the group that this process is in and for each above it. `controller` is
// "cpu" or "memory" for version 1, where each has a tree of its own, and empty for version 2.
//
// Within a container the path that /proc knows may be that of the host, and only the top of the
// tree is there: folders that do not exist are empty, and the walk ends at the top.
template <typename Visit>
void for_each_group(const std::string& root, const std::string& controller, Visit visit) {
  const fs::path mounts = fs::path(root) / "sys/fs/cgroup";
  std::ifstream file(fs::path(root) / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // 4:cpu,cpuacct:/path or 0::/path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    if (("," + names + ",").find("," + controller + ",") == std::string::npos) continue;
    const fs::path below = fs::path(line.substr(second + 1)).relative_path();
    std::vector<fs::path> tops{mounts / names};
    if (controller.empty()) {
      tops.push_back(mounts / "unified");
    } else {
      tops.push_back(mounts / controller);  // where names are "cpu,cpuacct"
    }
    for (const fs::path& top : tops) {
      for (fs::path group = below; !group.empty(); group = group.parent_path()) visit(top / group);
      visit(top);
    }
  }
}

}  // namespace

int available_cores(const std::string& root) {
  cpu_set_t set;
  double cores = sched_getaffinity(0, sizeof set, &set) == 0
                     ? CPU_COUNT(&set)
                     : std::max(1u, std::thread::hardware_concurrency());
  const auto apply = [&](std::optional<double> quota, std::optional<double> period) {
    if (quota && period) cores = std::min(cores, std::ceil(*quota / *period));
  };
  for_each_group(root, "", [&](const fs::path& group) {
    const auto found = words(group / "cpu.max");
    apply(limit(found), limit(found, 1));
  });
  for_each_group(root, "cpu", [&](const fs::path& group) {
    apply(limit(words(group / "cpu.cfs_quota_us")), limit(words(group / "cpu.cfs_period_us")));
  });
  return std::max(1, static_cast<int>(cores));
}

std::size_t available_memory(const std::string& root) {
  std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto apply = [&](std::optional<double> most) {
    if (most && *most < static_cast<double>(bytes)) bytes = static_cast<std::size_t>(*most);
  };
  for_each_group(root, "",
                 [&](const fs::path& group) { apply(limit(words(group / "memory.max"))); });
  for_each_group(root, "memory", [&](const fs::path& group) {
    apply(limit(words(group / "memory.limit_in_bytes")));
  });
  return bytes;
}

void expect_room(std::size_t bytes) {
  void* room = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) {
    throw IoError(fmt::format(
        "there is not enough memory for this: less than {} MB are left of what this process may "
        "use (ulimit -v)",
        bytes >> 20));
  }
  munmap(room, bytes);
}

void return_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace heed
