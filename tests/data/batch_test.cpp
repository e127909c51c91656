#include "heed/data/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/random.h"

namespace heed {
namespace {

std::vector<Index> random_lengths(Index count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Index> lengths;
  for (Index i = 0; i < count; ++i) lengths.push_back(1 + random.below(60));
  return lengths;
}

// Every example once, and batches that are full: none could take the shortest of all as well,
// unless it is the last of its kind.
void expect_whole(const std::vector<Index>& lengths, Index rows,
                  const std::vector<std::vector<Index>>& batches) {
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
      for (Index epoch = 0; epoch < 3; ++epoch) expect_whole(lengths, rows, batcher.epoch(epoch));
      expect_whole(lengths, rows, batcher.in_order());
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
  const std::vector<std::vector<Index>> expected = {{1, 3, 2}, {4}, {0}};
  EXPECT_EQ(batches, expected);
}

Example example(std::vector<std::int32_t> tokens, std::vector<std::int32_t> gram_counts,
                std::int32_t label) {
  Example result;
  result.tokens = std::move(tokens);
  result.gram_counts = std::move(gram_counts);
  for (const std::int32_t count : result.gram_counts) {
    for (std::int32_t i = 0; i < count; ++i) result.grams.push_back(100 * label + i);
  }
  result.label = label;
  for (const std::int32_t token : result.tokens) result.tags.push_back(-token);
  return result;
}

template <typename T>
std::vector<T> list(std::span<const T> values) {
  return {values.begin(), values.end()};
}

TEST(BatchPart, HasTheRowsGramsAndAnswersOfItsSequences) {
  Batch batch;
  const std::vector<Example> examples = {example({1, 2}, {3, 0}, 1), example({3}, {2}, 2),
                                         example({4, 5, 6}, {0, 1, 2}, 3)};
  for (const Example& each : examples) batch.add(each);
  EXPECT_EQ(batch.sequences(), 3);
  EXPECT_EQ(batch.rows(), 6);
  for (Index i = 0; i < 3; ++i) {
    const BatchPart part(batch, i, 1);
    const Example& expected = examples[static_cast<std::size_t>(i)];
    EXPECT_EQ(part.first(), i);
    EXPECT_EQ(part.sequences(), 1);
    EXPECT_EQ(list(part.tokens), expected.tokens);
    EXPECT_EQ(list(part.grams), expected.grams);
    EXPECT_EQ(list(part.gram_counts), expected.gram_counts);
    EXPECT_EQ(list(part.tags), expected.tags);
    EXPECT_EQ(list(part.labels), std::vector<std::int32_t>{expected.label});
    EXPECT_EQ(&part.whole(), &batch);
  }
  const BatchPart behind(batch, 1, 2);
  EXPECT_EQ(list(behind.tokens), (std::vector<std::int32_t>{3, 4, 5, 6}));
  EXPECT_EQ(list(behind.grams), (std::vector<std::int32_t>{200, 201, 300, 300, 301}));
  const BatchPart none(batch, 3, 0);
  EXPECT_EQ(none.sequences(), 0);
  EXPECT_TRUE(none.tokens.empty() && none.grams.empty() && none.labels.empty());
  EXPECT_EQ(BatchPart(batch).sequences(), 3);
}

TEST(Batch, IsEmptyWhenCleared) {
  Batch batch;
  batch.add(example({1, 2}, {3, 0}, 1));
  batch.clear();
  batch.add(example({7}, {1}, 2));
  EXPECT_EQ(list(BatchPart(batch).tokens), std::vector<std::int32_t>{7});
  EXPECT_EQ(list(BatchPart(batch).grams), std::vector<std::int32_t>{200});
  EXPECT_EQ(list(BatchPart(batch).labels), std::vector<std::int32_t>{2});
}

}  // namespace
}  // namespace heed
