#include "heed/kernel/matmul.h"

#include <dnnl.h>
#include <omp.h>
#include <sys/resource.h>

#if defined(HEED_XSMM)
#include <libxsmm.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "heed/base/machine.h"

namespace heed::kernel {
namespace {

// oneDNN would start an OpenMP team for every calling thread; heed's workers are its threads.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// It can only fail for want of memory, or by a mistake of ours.
void expect_success(dnnl_status_t status) {
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  if (status != dnnl_success) {
    fail<NumericError>("product", "oneDNN refused it with status {}", static_cast<int>(status));
  }
}

void sgemm(char transpose_a, char transpose_b, Index inner, const Matrix& a, const Matrix& b,
           const Matrix& c, Store store) {
  if (c.rows == 0 || c.columns == 0) return;
  const float beta = store == Store::kAdd ? 1.0f : 0.0f;
  if (inner == 0) {
    if (store == Store::kAdd) return;
    for (Index row = 0; row < c.rows; ++row) std::fill_n(c.data + row * c.stride, c.columns, 0.0f);
    return;
  }
  const OneThread guard;
  const dnnl_status_t status =
      dnnl_sgemm(transpose_a, transpose_b, c.rows, c.columns, inner, 1.0f, a.data, a.stride, b.data,
                 b.stride, beta, c.data, c.stride);
  expect_success(status);
}

// Rows of aᵀ lie `stride` apart. Where that is a multiple of 4 KiB they all compete for the same
// few cache sets, and the product falls from 160 to 105 GFLOP/s (8192 × 2048 → 512, Emerald
// Rapids).
bool collides(const Matrix& a) { return a.stride % 1024 == 0 && a.rows >= 64; }

constexpr Index kCopyRows = 256;
constexpr Index kPad = 16;

#if defined(HEED_XSMM) && defined(__x86_64__)
// libxsmm's kernels leave the upper halves of the vector registers in use. Every SSE instruction
// after that would wait for them, and most code that is not a kernel is made of these.
__attribute__((target("avx"))) void clear_upper_halves() { _mm256_zeroupper(); }
const bool kHasUpperHalves = __builtin_cpu_supports("avx") != 0;
#else
void clear_upper_halves() {}
constexpr bool kHasUpperHalves = false;
#endif

}  // namespace

void product(const Matrix& a, const Matrix& b, const Matrix& c, Store store) {
  assert(a.rows == c.rows && a.columns == b.rows && b.columns == c.columns);
  sgemm('N', 'N', a.columns, a, b, c, store);
}

void product_transposed_right(const Matrix& a, const Matrix& b, const Matrix& c, Store store) {
  assert(a.rows == c.rows && a.columns == b.columns && b.rows == c.columns);
  sgemm('N', 'T', a.columns, a, b, c, store);
}

void product_transposed_left(const Matrix& a, const Matrix& b, const Matrix& c, Store store) {
  assert(a.columns == c.rows && a.rows == b.rows && b.columns == c.columns);
  if (!collides(a)) {
    sgemm('T', 'N', a.rows, a, b, c, store);
    return;
  }
  // One block of rows at a time is copied to where the collisions end.
  const Index stride = a.columns + kPad;
  thread_local std::unique_ptr<float[]> copy;
  thread_local Index capacity = 0;
  if (capacity < kCopyRows * stride) {
    const Index wanted = kCopyRows * stride;
    copy = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(wanted));
    capacity = wanted;
  }
  for (Index begin = 0; begin < a.rows; begin += kCopyRows) {
    const Index rows = std::min(kCopyRows, a.rows - begin);
    for (Index row = 0; row < rows; ++row) {
      std::memcpy(copy.get() + row * stride, a.data + (begin + row) * a.stride,
                  static_cast<std::size_t>(a.columns) * sizeof(float));
    }
    const Matrix part_a(copy.get(), rows, a.columns, stride);
    const Matrix part_b(b.data + begin * b.stride, rows, b.columns, b.stride);
    sgemm('T', 'N', rows, part_a, part_b, c, begin == 0 ? store : Store::kAdd);
  }
}

void prepare_products() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  static std::once_flag once;
  std::call_once(once, [] {
    expect_room(std::size_t{48} << 20);
#if defined(HEED_XSMM)
    libxsmm_init();
#endif
    // Single rows, single columns, small matrices and others have kernels of their own.
    constexpr Index kMost = 128;
    std::vector<float> numbers(3 * kMost * kMost, 0.0f);
    const auto matrix = [&](Index which, Index rows, Index columns) {
      return Matrix(numbers.data() + which * kMost * kMost, rows, columns);
    };
    const auto multiply = [&](Index m, Index n, Index k, Store store) {
      product(matrix(0, m, k), matrix(1, k, n), matrix(2, m, n), store);
      product_transposed_right(matrix(0, m, k), matrix(1, n, k), matrix(2, m, n), store);
      product_transposed_left(matrix(0, k, m), matrix(1, k, n), matrix(2, m, n), store);
    };
    constexpr std::array<Index, 4> kSizes = {1, 2, 16, kMost};
    for (const Index m : kSizes) {
      for (const Index n : kSizes) {
        for (const Index k : kSizes) {
          multiply(m, n, k, Store::kOverwrite);
          multiply(m, n, k, Store::kAdd);
        }
      }
    }
  });
}

#if defined(HEED_XSMM)
// libxsmm returns a kernel that cannot be run where its last pages could not be mapped. So where
// memory is limited to less than this (ulimit -v), oneDNN makes tiles too: prepare_products() has
// compiled its kernels.
static bool may_use_xsmm() {
  constexpr rlim_t kEnough = rlim_t{1} << 30;
  static const bool may = [] {
    rlimit limit{};
    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= kEnough;
  }();
  return may;
}
#endif

TileProduct::TileProduct(const TileShape& shape) : shape_(shape), function_(nullptr) {
#if defined(HEED_XSMM)
  if (!may_use_xsmm()) return;
  // libxsmm is column-major: what it calls A is our b, and what it may transpose is our a.
  const auto size = [](Index value) { return static_cast<libxsmm_blasint>(value); };
  const libxsmm_blasint lda = size(shape.b_stride);
  const libxsmm_blasint ldb = size(shape.a_stride);
  const libxsmm_blasint ldc = size(shape.c_stride);
  const float alpha = 1.0f;
  const float beta = shape.store == Store::kAdd ? 1.0f : 0.0f;
  const int flags = shape.transpose_left ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
  const int prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
  function_ = libxsmm_smmdispatch(size(shape.columns), size(shape.rows), size(shape.inner), &lda,
                                  &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
#endif
}

void TileProduct::operator()(const float* a, const float* b, float* c) const {
  if (function_ != nullptr) {
    function_(b, a, c);
    if (kHasUpperHalves) clear_upper_halves();
    return;
  }
  const OneThread guard;
  const dnnl_status_t status =
      dnnl_sgemm(shape_.transpose_left ? 'T' : 'N', 'N', shape_.rows, shape_.columns, shape_.inner,
                 1.0f, a, shape_.a_stride, b, shape_.b_stride,
                 shape_.store == Store::kAdd ? 1.0f : 0.0f, c, shape_.c_stride);
  expect_success(status);
}

}  // namespace heed::kernel
