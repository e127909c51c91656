#include "heed/data/examples.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/support/lists.h"

namespace heed {
namespace {

using test::list;
using test::Numbers;

// Sequences of 1, 2, … rows: the tokens of number i are i, i + 1, …, its label is −i.
Batch made_batch(std::int32_t count) {
  Batch batch;
  for (std::int32_t i = 0; i < count; ++i) {
    for (std::int32_t row = 0; row <= i; ++row) batch.input.integers(0).push(i + row);
    batch.input.integers(0).close();
    batch.answer.integers(0).add(Numbers{-i});
    batch.lengths.push_back(i + 1);
  }
  return batch;
}

TEST(StoredExamples, AreTheSequencesOfTheBatch) {
  const StoredExamples examples(made_batch(4));
  EXPECT_EQ(examples.count(), 4);
  EXPECT_EQ(examples.rows(), 10);
  EXPECT_EQ(examples.lengths(), (std::vector<Index>{1, 2, 3, 4}));
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(examples.length(i), i + 1);
  Batch batch;
  for (const Index example : {2, 0, 2}) examples.load(example, batch);
  EXPECT_EQ(batch.lengths, (std::vector<Index>{3, 1, 3}));
  EXPECT_EQ(list(batch.input.integers(0).values()), (Numbers{2, 3, 4, 0, 2, 3, 4}));
  EXPECT_EQ(list(batch.answer.integers(0).values()), (Numbers{-2, 0, -2}));
}

TEST(StoredExamples, LoadingAppendsAndLeavesTheRestOfTheBatchAlone) {
  const StoredExamples examples(made_batch(3));
  Batch batch = made_batch(1);
  batch.first = 7;
  batch.whole_weight = 2.5;
  examples.load(1, batch);
  EXPECT_EQ(batch.lengths, (std::vector<Index>{1, 2}));
  EXPECT_EQ(list(batch.input.integers(0).values()), (Numbers{0, 1, 2}));
  EXPECT_EQ(batch.first, 7);
  EXPECT_EQ(batch.whole_weight, 2.5);
}

TEST(StoredExamples, ThereMayBeNone) {
  const StoredExamples none{Batch{}};
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.rows(), 0);
  EXPECT_TRUE(none.lengths().empty());
}

TEST(StoredExamples, ThreadsMayLoadAtOnce) {
  const StoredExamples examples(made_batch(40));
  std::vector<Batch> batches(4);
  std::vector<std::thread> threads;
  for (Batch& batch : batches) {
    threads.emplace_back([&] {
      for (Index i = 0; i < examples.count(); ++i) examples.load(i, batch);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Batch expected = made_batch(40);
  for (const Batch& batch : batches) {
    EXPECT_EQ(batch.lengths, expected.lengths);
    EXPECT_EQ(list(batch.input.integers(0).values()), list(expected.input.integers(0).values()));
    EXPECT_EQ(list(batch.answer.integers(0).values()), list(expected.answer.integers(0).values()));
  }
}

}  // namespace
}  // namespace heed
