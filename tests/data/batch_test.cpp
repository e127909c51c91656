#include "heed/data/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/random.h"
#include "tests/support/lists.h"

namespace heed {
namespace {

using test::list;
using test::Numbers;

std::vector<Index> random_lengths(Index count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> lengths;
  for (Index i = 0; i < count; ++i) lengths.push_back(1 + random.below(60));
  return lengths;
}

// Every example once, and batches that are full: none could take the shortest of all as well,
// unless it is the last of its kind.
void expect_full_batches(const std::vector<Index>& lengths, Index rows,
                         const Batcher::Batches& batches) {
  std::vector<Index> seen;
  for (const auto& batch : batches) {
    ASSERT_FALSE(batch.empty());
    Index sum = 0;
    for (const Index example : batch) {
      seen.push_back(example);
      sum += lengths[static_cast<std::size_t>(example)];
    }
    EXPECT_TRUE(sum <= rows || batch.size() == 1) << sum << " rows in a batch";
  }
  std::sort(seen.begin(), seen.end());
  std::vector<Index> all(lengths.size());
  std::iota(all.begin(), all.end(), Index{0});
  EXPECT_EQ(seen, all);
}

TEST(Batcher, EveryExampleComesOnceAnEpochAndNoBatchHasTooManyRows) {
  for (const Index count : {1, 2, 17, 1000}) {
    for (const Index rows : {1, 60, 256, 100000}) {
      const std::vector<Index> lengths = random_lengths(count, 3);
      const Batcher batcher(lengths, {.rows = rows, .seed = 5});
      for (Index epoch = 0; epoch < 3; ++epoch)
        expect_full_batches(lengths, rows, batcher.epoch(epoch));
      expect_full_batches(lengths, rows, batcher.in_order());
    }
  }
}

TEST(Batcher, NoExamplesAreNoBatches) {
  const Batcher batcher({}, {});
  EXPECT_TRUE(batcher.epoch(0).empty());
  EXPECT_TRUE(batcher.in_order().empty());
}

TEST(Batcher, AnExampleThatIsTooLongIsABatchOfItsOwn) {
  const Batcher batcher({5, 900, 5}, {.rows = 100});
  for (const auto& batch : batcher.epoch(0)) {
    if (std::find(batch.begin(), batch.end(), 1) != batch.end()) {
      EXPECT_EQ(batch.size(), 1u);
    }
  }
}

TEST(Batcher, TheOrderIsAFunctionOfSeedAndEpoch) {
  const std::vector<Index> lengths = random_lengths(500, 4);
  const BatcherOptions options{.rows = 200, .seed = 7};
  const Batcher batcher(lengths, options);
  EXPECT_EQ(batcher.epoch(2), Batcher(lengths, options).epoch(2));
  EXPECT_NE(batcher.epoch(2), batcher.epoch(3));
  EXPECT_NE(batcher.epoch(2), Batcher(lengths, {.rows = 200, .seed = 8}).epoch(2));
}

TEST(Batcher, ExamplesOfSimilarLengthAreTogether) {
  const std::vector<Index> lengths = random_lengths(2000, 5);
  double within = 0.0;  // the mean difference between the longest and the shortest of a batch
  const auto batches = Batcher(lengths, {.rows = 400}).epoch(1);
  for (const auto& batch : batches) {
    Index shortest = 1000, longest = 0;
    for (const Index example : batch) {
      shortest = std::min(shortest, lengths[static_cast<std::size_t>(example)]);
      longest = std::max(longest, lengths[static_cast<std::size_t>(example)]);
    }
    within += static_cast<double>(longest - shortest) / static_cast<double>(batches.size());
  }
  EXPECT_LT(within, 5.0);  // about 57 in batches by chance
}

TEST(Batcher, ForEvaluationTheShortestComeFirst) {
  const std::vector<Index> lengths = {9, 2, 5, 2, 7};
  const auto batches = Batcher(lengths, {.rows = 9}).in_order();
  const Batcher::Batches expected = {{1, 3, 2}, {4}, {0}};
  EXPECT_EQ(batches, expected);
}

TEST(Columns, AnAbsentOneReadsAsEmpty) {
  Columns columns;
  const Columns& read = columns;
  EXPECT_EQ(read.integers(3).count(), 0);
  EXPECT_EQ(read.numbers(0).count(), 0);
  EXPECT_EQ(columns.bytes(), 0u);
  columns.integers(3).add(Numbers{1});
  EXPECT_EQ(read.integers(3).count(), 1);
  EXPECT_EQ(read.integers(2).count(), 0);
  EXPECT_EQ(read.integers(4).count(), 0);
  EXPECT_EQ(read.numbers(3).count(), 0) << "integers and numbers are counted apart";
}

TEST(Columns, OneThatIsAskedForFirstDoesNotMoveTheOthers) {
  Columns columns;
  Ragged<std::int32_t>& first = columns.integers(0);
  for (std::size_t slot = 1; slot < 200; ++slot) columns.integers(slot);
  EXPECT_EQ(&columns.integers(0), &first);
}

TEST(Columns, AppendingTakesAnItemOfEachColumnThatHasItems) {
  Columns from;
  from.integers(0).add(Numbers{1, 2});
  from.integers(0).add(Numbers{3});
  // Columns 1 and 2 are not filled, as those of a part that is switched off.
  from.integers(3).add({});
  from.integers(3).add(Numbers{4, 5, 6});
  from.numbers(1).add(std::vector<float>{0.5f});
  from.numbers(1).add(std::vector<float>{1.5f, 2.5f});
  Columns to;
  for (const Index item : {1, 0, 1}) to.append(from, item);
  EXPECT_EQ(list(to.integers(0).values()), (Numbers{3, 1, 2, 3}));
  EXPECT_EQ(list(to.integers(0).lengths()), (std::vector<Index>{1, 2, 1}));
  EXPECT_EQ(list(to.integers(3).values()), (Numbers{4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(list(to.integers(3).lengths()), (std::vector<Index>{3, 0, 3}));
  EXPECT_EQ(list(to.numbers(1).values()), (std::vector<float>{1.5f, 2.5f, 0.5f, 1.5f, 2.5f}));
  for (const std::size_t absent : {1, 2, 4}) EXPECT_EQ(to.integers(absent).count(), 0) << absent;
  EXPECT_EQ(to.numbers(0).count(), 0);
}

// Sequence i of a batch: some tokens, n-grams of each, a label and the value of a feature.
struct MadeSequence {
  Numbers tokens, ngrams;
  std::int32_t label;
  float value;
};
void add(const MadeSequence& sequence, Batch& batch) {
  batch.lengths.push_back(std::ssize(sequence.tokens));
  batch.input.integers(0).add(sequence.tokens);
  batch.input.integers(1).add(sequence.ngrams);
  batch.wide.numbers(0).add(std::vector<float>{sequence.value});
  batch.answer.integers(0).add(Numbers{sequence.label});
}
const std::vector<MadeSequence> kSequences = {
    {{1, 2}, {10, 11, 12}, 5, 0.5f}, {{3}, {}, kNoAnswer, 1.5f}, {{4, 5, 6}, {13, 14}, 7, 2.5f}};

void expect_same(const Batch& batch, const Batch& expected) {
  EXPECT_EQ(batch.lengths, expected.lengths);
  const auto expect_same_column = [](const auto& column, const auto& other) {
    EXPECT_EQ(list(column.values()), list(other.values()));
    EXPECT_EQ(list(column.lengths()), list(other.lengths()));
  };
  expect_same_column(batch.input.integers(0), expected.input.integers(0));
  expect_same_column(batch.input.integers(1), expected.input.integers(1));
  expect_same_column(batch.wide.numbers(0), expected.wide.numbers(0));
  expect_same_column(batch.answer.integers(0), expected.answer.integers(0));
}

TEST(Batch, AppendingTakesEverythingOfASequence) {
  Batch all;
  for (const MadeSequence& sequence : kSequences) add(sequence, all);
  EXPECT_EQ(all.sequences(), 3);
  for (const std::vector<Index>& chosen :
       std::vector<std::vector<Index>>{{0}, {1}, {2}, {2, 0}, {1, 1}, {0, 1, 2}, {}}) {
    Batch part, expected;
    for (const Index sequence : chosen) {
      part.append(all, sequence);
      add(kSequences[static_cast<std::size_t>(sequence)], expected);
    }
    EXPECT_EQ(part.sequences(), std::ssize(chosen));
    expect_same(part, expected);
    EXPECT_EQ(part.bytes(), expected.bytes());
  }
}

TEST(Batch, APartKnowsItsPlaceInTheWholeUntilItIsCleared) {
  Batch all, part;
  for (const MadeSequence& sequence : kSequences) add(sequence, all);
  part.first = 1;
  part.whole_weight = 3.0;
  part.append(all, 1);
  part.append(all, 2);
  EXPECT_EQ(part.first, 1);
  EXPECT_EQ(part.whole_weight, 3.0);
  part.clear();
  EXPECT_EQ(part.first, 0);
  EXPECT_EQ(part.whole_weight, 0.0);
}

TEST(Batch, IsEmptyWhenCleared) {
  Batch batch, expected;
  for (const MadeSequence& sequence : kSequences) add(sequence, batch);
  batch.clear();
  EXPECT_EQ(batch.sequences(), 0);
  EXPECT_EQ(batch.bytes(), 0u);
  add(kSequences[2], batch);
  add(kSequences[2], expected);
  expect_same(batch, expected);
}

}  // namespace
}  // namespace heed
