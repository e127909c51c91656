#include <gtest/gtest.h>

#include <cstdlib>

#include "heed/kernel/simd.h"

// HEED_SIMD runs the same tests on another instruction set of this machine.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (const char* target = std::getenv("HEED_SIMD")) heed::kernel::use_simd_target(target);
  return RUN_ALL_TESTS();
}
