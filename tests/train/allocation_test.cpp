// A training step, once warm, takes no memory from the heap. This file replaces malloc in the test
// program and counts its callers, all but oneDNN: that library takes workspace for its products
// inside its own calls, which heed cannot change.

#include <gtest/gtest.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "heed/grad/loss.h"
#include "heed/grad/pool.h"
#include "heed/model/body/attention.h"
#include "heed/nn/embedding.h"
#include "heed/train/step.h"

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;

void count(const void* caller) {
  if (!counting) return;
  Dl_info info{};
  if (dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
      std::strstr(info.dli_fname, "libdnnl") != nullptr) {
    return;
  }
  ++allocations;
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_malloc(bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
}

namespace heed {
namespace {

enum class Leak { kNo, kYes };

int allocations_of_a_step(int workers, Beyond beyond, Leak leak) {
  Parameters parameters;
  const Scope scope(parameters);
  Config config;
  config.width = 32;
  config.text.longest = 30;
  config.text.beyond = beyond;
  nn::EncoderOptions& options = config.body.encoder;
  options.attention.heads = 4;
  options.attention.dropout = 0.1f;
  options.feed_forward.hidden = 64;
  options.feed_forward.dropout = 0.1f;
  options.dropout = 0.1f;
  options.layers = 2;
  const nn::Embedding embedding(scope / "embedding", 100, 32);
  const AttentionBody body(scope / "body", config);
  const nn::Linear last(scope / "last", 32, 5);
  const std::vector<Index> lengths = {40, 70, 3};
  const std::vector<std::int32_t> ids(113, 7), targets = {1, 2, 3};

  Workers team(workers);
  AdamW optimizer(parameters);
  TrainingStep step(parameters, optimizer, team);
  const TrainingStep::Loss loss = [&](Context& context, int) {
    if (leak == Leak::kYes && counting) std::free(std::malloc(10));
    const Layout layout = Layout::of(context.arena(), lengths);
    const Sequences y = body(context, embedding(context, ids, layout));
    return grad::cross_entropy(context, last(context, grad::pool(context, y, grad::Pool::kMean)),
                               targets);
  };
  for (int i = 0; i < 3; ++i) step(loss, 0.001f);
  allocations = 0;
  counting = true;
  step(loss, 0.001f);
  counting = false;
  return allocations;
}

TEST(Allocation, AWarmTrainingStepTakesNothingFromTheHeap) {
  EXPECT_EQ(allocations_of_a_step(1, Beyond::kCut, Leak::kNo), 0);
  EXPECT_EQ(allocations_of_a_step(2, Beyond::kCut, Leak::kNo), 0);
}

TEST(Allocation, NorDoesOneThatReadsInPieces) {
  EXPECT_EQ(allocations_of_a_step(1, Beyond::kSegments, Leak::kNo), 0);
  EXPECT_EQ(allocations_of_a_step(2, Beyond::kSegments, Leak::kNo), 0);
}

TEST(Allocation, TheCounterSeesAnAllocation) {
  EXPECT_EQ(allocations_of_a_step(1, Beyond::kCut, Leak::kYes), 1);
}

}  // namespace
}  // namespace heed

#endif
