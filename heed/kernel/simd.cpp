#include "heed/kernel/simd.h"

#include <dnnl.h>

#include <array>
#include <cstdint>

#include "heed/base/error.h"
#include "hwy/highway.h"
#include "hwy/targets.h"

#if defined(HEED_XSMM)
#include <libxsmm.h>
#endif

namespace heed::kernel {
namespace {

struct Target {
  const char* name;
  std::int64_t highway;
  dnnl_cpu_isa_t onednn;
  const char* xsmm;
};

constexpr std::array kTargets = {
    Target{"avx512", HWY_AVX3, dnnl_cpu_isa_all, nullptr},
    Target{"avx2", HWY_AVX2, dnnl_cpu_isa_avx2, "hsw"},
    Target{"sse4", HWY_SSE4, dnnl_cpu_isa_sse41, "wsm"},
    Target{"scalar", HWY_SCALAR, dnnl_cpu_isa_sse41, "wsm"},
};

bool runs(const Target& target) {
  return (hwy::SupportedTargets() & target.highway) != 0 || target.highway == HWY_STATIC_TARGET;
}

}  // namespace

std::vector<std::string> simd_targets() {
  std::vector<std::string> names;
  for (const Target& target : kTargets) {
    if (runs(target)) names.emplace_back(target.name);
  }
  return names;
}

void use_simd_target(const std::string& name) {
  for (const Target& target : kTargets) {
    if (name != target.name || !runs(target)) continue;
    hwy::SetSupportedTargetsForTest(target.highway);
    dnnl_set_max_cpu_isa(target.onednn);
#if defined(HEED_XSMM)
    if (target.xsmm != nullptr) libxsmm_set_target_arch(target.xsmm);
#endif
    return;
  }
  std::string known;
  for (const std::string& target : simd_targets()) known += (known.empty() ? "" : ", ") + target;
  fail<UsageError>("simd", "expected one of {}, got {}", known, name);
}

}  // namespace heed::kernel
