#pragma once

#include <string>
#include <vector>

namespace heed::kernel {

// The instruction sets that heed's kernels were compiled for and this machine can run, best first:
// "avx512", "avx2", "sse4", "scalar".
std::vector<std::string> simd_targets();

// Makes this process use one of them, in heed's own kernels and, where they can be told, in the
// libraries below. For tests, before any kernel runs. An unknown name is a UsageError.
void use_simd_target(const std::string& name);

}  // namespace heed::kernel
