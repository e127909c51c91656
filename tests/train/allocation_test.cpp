// A training step, once warm, takes no memory: not from the heap, and not from the system, where
// arenas get theirs. This file replaces malloc and mmap in the test program and counts their
// callers, all but oneDNN: that library takes workspace for its products inside its own calls,
// which heed cannot change. What the arenas hold is compared besides.

#include <gtest/gtest.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "heed/grad/loss.h"
#include "heed/grad/pool.h"
#include "heed/model/body/attention.h"
#include "heed/nn/embedding.h"
#include "heed/train/step.h"
#include "heed/train/trainer.h"
#include "tests/support/made_examples.h"

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
void* mmap(void* address, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  count(__builtin_return_address(0));
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, bytes, protection, flags, file, offset));
}
}

namespace heed {
namespace {

constexpr Index kWhole = 0, kSegment = 30;  // rows that are read at a time

enum class Leak { kNone, kHeap, kArena };

// What steps take once they are warm.
struct Taken {
  int allocations = 0;
  std::size_t arena_bytes = 0;
  bool operator==(const Taken&) const = default;
};
void PrintTo(const Taken& taken, std::ostream* out) {
  *out << taken.allocations << " allocations, " << taken.arena_bytes << " bytes of arenas";
}

Taken taken_by_warm_steps(int workers, Index segment, Leak leak = Leak::kNone) {
  Parameters parameters;
  const Scope scope(parameters);
  AttentionBody made;
  made.options().segment = segment;
  nn::EncoderOptions& options = made.options().encoder;
  options.attention.heads = 4;
  options.attention.dropout = 0.1f;
  options.feed_forward.hidden = 64;
  options.feed_forward.dropout = 0.1f;
  options.dropout = 0.1f;
  options.layers = 2;
  const nn::Embedding embedding(scope / "embedding", 100, 32);
  const std::unique_ptr<BodyNetwork> body = made.network(scope / "body", 32);
  const nn::Linear last(scope / "last", 32, 5);
  const std::vector<Index> lengths = {40, 70, 3};
  const std::vector<std::int32_t> ids(113, 7), targets = {1, 2, 3};

  Workers team(workers);
  AdamW optimizer(parameters);
  TrainingStep step(parameters, optimizer, team);
  std::vector<const Context*> contexts(static_cast<std::size_t>(workers));
  std::size_t leaked = 0;
  const TrainingStep::Loss loss = [&](Context& context, int worker) {
    contexts[static_cast<std::size_t>(worker)] = &context;
    if (leak == Leak::kHeap && counting) std::free(std::malloc(10));
    if (leak == Leak::kArena) context.arena().allocate(leaked += std::size_t{1} << 20);
    const Layout layout = Layout::of(context.arena(), lengths);
    const Sequences y = (*body)(context, embedding(context, ids, layout));
    return grad::cross_entropy(context, last(context, grad::pool(context, y, grad::Pool::kMean)),
                               targets);
  };
  const auto memory = [&] {
    std::size_t bytes = 0;
    for (const Context* context : contexts) bytes += context->memory();
    return bytes;
  };
  for (int i = 0; i < 3; ++i) step(loss, 0.001f);
  const std::size_t before = memory();
  allocations = 0;
  counting = true;
  for (int i = 0; i < 3; ++i) step(loss, 0.001f);
  counting = false;
  return {allocations, memory() - before};
}

TEST(Allocation, WarmTrainingStepsTakeNoMemory) {
  EXPECT_EQ(taken_by_warm_steps(1, kWhole), Taken());
  EXPECT_EQ(taken_by_warm_steps(2, kWhole), Taken());
}

TEST(Allocation, NorDoThoseThatReadInSegments) {
  EXPECT_EQ(taken_by_warm_steps(1, kSegment), Taken());
  EXPECT_EQ(taken_by_warm_steps(2, kSegment), Taken());
}

// Allocations of a trainer's step, all steps after the first few being alike.
int taken_by_a_trainers_step(Index batch_rows) {
  Model model(test::made_config("label"));
  Batch all;
  for (Index i = 0; i < batch_rows; ++i) {  // in ten batches
    const std::vector<std::int32_t> tokens(10, static_cast<std::int32_t>(i % test::kEntries));
    const auto label = static_cast<std::int32_t>(i % 3);
    all.lengths.push_back(10);
    all.input.integers(TextInput::kTokens).add(tokens);
    all.answer.integers(0).add({&label, 1});
  }
  const StoredExamples examples(std::move(all));
  TrainingOptions options;
  options.epochs = 1;
  options.batch_rows = batch_rows;
  int before_last = 0, last = 0;
  TrainingEvents events;
  events.step = [&](const TrainingState&, const StepResult&, float) {
    before_last = std::exchange(last, allocations);
  };
  Trainer trainer(
      model, examples, options, [](const Model&) { return 0.0; }, events);
  allocations = 0;
  counting = true;
  trainer.run(false);
  counting = false;
  EXPECT_EQ(trainer.state().steps, 10);
  return last - before_last;
}

TEST(Allocation, WhatATrainersStepTakesDoesNotGrowWithItsBatch) {
  EXPECT_EQ(taken_by_a_trainers_step(1000), taken_by_a_trainers_step(20));
}

TEST(Allocation, TheCounterSeesAnAllocation) {
  EXPECT_EQ(taken_by_warm_steps(1, kWhole, Leak::kHeap), (Taken{3, 0}));
}

TEST(Allocation, AnArenaThatGrowsIsSeen) {
  const Taken taken = taken_by_warm_steps(1, kWhole, Leak::kArena);
  EXPECT_GE(taken.allocations, 1);
  EXPECT_GE(taken.arena_bytes, std::size_t{3} << 20);
}

}  // namespace
}  // namespace heed

#endif
