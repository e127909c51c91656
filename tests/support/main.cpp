#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "heed/base/error.h"
#include "heed/kernel/simd.h"

// HEED_SIMD runs the same tests on another instruction set of this machine; empty is as not set.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* set = std::getenv("HEED_SIMD");
  const std::string target = set == nullptr ? "" : set;
  try {
    if (!target.empty()) heed::kernel::use_simd_target(target);
  } catch (const heed::UsageError& error) {
    std::fprintf(stderr, "HEED_SIMD: %s\n", error.what());
    return 2;
  }
  return RUN_ALL_TESTS();
}
