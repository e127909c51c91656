#include "heed/base/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/support/temporary_folder.h"

namespace heed::test {
namespace {

using Files = std::map<std::string, std::string>;

class Machine : public testing::Test {
 protected:
  static constexpr std::size_t kMebibyte = 1 << 20;

  // A root with these files.
  std::string root(const Files& files) {
    for (const auto& [name, text] : files) folder_.write(name, text);
    return folder_.path();
  }

  TemporaryFolder folder_;
};

TEST_F(Machine, HasACoreAndMemory) {
  EXPECT_GE(available_cores(), 1);
  EXPECT_GT(available_memory(), 16 * kMebibyte);
  // Nothing is known of control groups here: what remains is the machine itself.
  EXPECT_GE(available_cores(root({})), available_cores());
  EXPECT_GE(available_memory(root({})), available_memory());
}

TEST_F(Machine, KeepsToTheGroupOfVersion2) {
  const std::string limited = root({{"proc/self/cgroup", "0::/\n"},
                                    {"sys/fs/cgroup/cpu.max", "50000 100000\n"},
                                    {"sys/fs/cgroup/memory.max", "67108864\n"}});
  EXPECT_EQ(available_cores(limited), 1);
  EXPECT_EQ(available_memory(limited), 64 * kMebibyte);
}

TEST_F(Machine, KeepsToTheGroupsAboveItsOwn) {
  const std::string limited = root({{"proc/self/cgroup", "0::/user/job\n"},
                                    {"sys/fs/cgroup/user/job/cpu.max", "max 100000\n"},
                                    {"sys/fs/cgroup/user/job/memory.max", "max\n"},
                                    {"sys/fs/cgroup/user/cpu.max", "100000 100000\n"},
                                    {"sys/fs/cgroup/user/memory.max", "33554432\n"}});
  EXPECT_EQ(available_cores(limited), 1);
  EXPECT_EQ(available_memory(limited), 32 * kMebibyte);
}

TEST_F(Machine, KeepsToTheGroupsOfVersion1) {
  // As in a container: /proc shows the host's path, of which only the top is mounted.
  const std::string limited =
      root({{"proc/self/cgroup", "5:memory:/docker/f00\n4:cpu,cpuacct:/docker/f00\n"},
            {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "20000\n"},
            {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"},
            {"sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728\n"}});
  EXPECT_EQ(available_cores(limited), 1);
  EXPECT_EQ(available_memory(limited), 128 * kMebibyte);
}

TEST_F(Machine, IsNotLimitedByWhatIsNoLimit) {
  const int cores = available_cores(folder_.path());
  const std::size_t memory = available_memory(folder_.path());
  const std::string free =
      root({{"proc/self/cgroup", "0::/\n5:memory:/\n4:cpu:/\nnonsense\n"},
            {"sys/fs/cgroup/cpu.max", "max 100000\n"},
            {"sys/fs/cgroup/memory.max", "max\n"},
            {"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
            {"sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
            {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}});
  EXPECT_EQ(available_cores(free), cores);
  EXPECT_EQ(available_memory(free), memory);
}

TEST_F(Machine, AQuotaIsRoundedUp) {
  const int cores = available_cores(folder_.path());
  EXPECT_EQ(available_cores(root(
                {{"proc/self/cgroup", "0::/\n"}, {"sys/fs/cgroup/cpu.max", "150000 100000\n"}})),
            std::min(cores, 2));
}

}  // namespace
}  // namespace heed::test
