#include "heed/base/workers.h"

#include <gtest/gtest.h>

#include <array>

#include <atomic>
#include <stdexcept>

#include "heed/base/error.h"

namespace heed {
namespace {

TEST(Workers, EveryWorkerRunsEachJobOnce) {
  Workers workers(4);
  for (int round = 0; round < 100; ++round) {
    std::array<std::atomic<int>, 4> runs{};
    workers.run([&](int worker) { ++runs[static_cast<std::size_t>(worker)]; });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(Workers, AnExceptionReachesTheCallerAfterAllHaveFinished) {
  Workers workers(3);
  std::atomic<int> finished = 0;
  const auto job = [&](int worker) {
    if (worker == 1) throw std::runtime_error("one");
    if (worker == 2) throw std::runtime_error("two");
    ++finished;
  };
  try {
    workers.run(job);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "one");
  }
  EXPECT_EQ(finished, 1);
  workers.run([&](int) { ++finished; });  // and the team still works
  EXPECT_EQ(finished, 4);
}

TEST(Workers, ANumberOfWorkersThatMakesNoSenseIsRefused) {
  EXPECT_THROW(Workers(0), UsageError);
  EXPECT_THROW(Workers(-1), UsageError);
  EXPECT_GE(Workers::available(), 1);
}

}  // namespace
}  // namespace heed
