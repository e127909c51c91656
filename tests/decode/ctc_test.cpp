#include "heed/decode/ctc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/tensor/arena.h"

namespace heed::decode {
namespace {

using Labels = std::vector<std::int32_t>;

// p of every labelling: the sum over all paths, each tried.
std::map<Labels, double> all_labels(const Tensor& logits, std::int32_t blank) {
  std::map<Labels, double> sums;
  const Index rows = logits.rows(), classes = logits.columns();
  std::vector<std::vector<double>> p(static_cast<std::size_t>(rows));
  for (Index r = 0; r < rows; ++r) {
    double sum = 0.0;
    for (Index c = 0; c < classes; ++c) sum += std::exp(double{logits.row(r)[c]});
    for (Index c = 0; c < classes; ++c) {
      p[static_cast<std::size_t>(r)].push_back(std::exp(double{logits.row(r)[c]}) / sum);
    }
  }
  Index paths = 1;
  for (Index r = 0; r < rows; ++r) paths *= classes;
  for (Index path = 0; path < paths; ++path) {
    Labels labels;
    double product = 1.0;
    std::int32_t before = blank;
    Index rest = path;
    for (std::size_t r = 0; r < p.size(); ++r, rest /= classes) {
      const auto c = static_cast<std::int32_t>(rest % classes);
      product *= p[r][static_cast<std::size_t>(c)];
      if (c != blank && c != before) labels.push_back(c);
      before = c;
    }
    sums[labels] += product;
  }
  return sums;
}

Tensor random_logits(Arena& arena, Index rows, Index classes, std::uint64_t seed) {
  const Tensor logits = arena.tensor({rows, classes});
  Random random(mix(seed));
  for (float& value : logits.span()) value = 2.0f * random.normal();
  return logits;
}

TEST(CtcSearch, AWideBeamFindsTheLikeliestOfAllLabels) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Arena arena;
    const Tensor logits = random_logits(arena, 6, 4, seed);
    const std::map<Labels, double> all = all_labels(logits, 3);
    std::vector<std::pair<double, Labels>> order;
    for (const auto& [labels, p] : all) order.emplace_back(-p, labels);
    std::sort(order.begin(), order.end());
    const std::vector<Hypothesis> found = ctc_search(logits, {.blank = 3, .beam = 2000, .best = 5});
    ASSERT_EQ(found.size(), 5u);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].tokens, order[i].second) << "seed " << seed;
      EXPECT_NEAR(double{found[i].score}, std::log(-order[i].first), 1e-5) << "seed " << seed;
    }
  }
}

// The same label twice needs a blank between: in two rows it cannot be.
TEST(CtcSearch, WhatCannotBeIsNotFound) {
  Arena arena;
  const Tensor logits = random_logits(arena, 2, 2, 1);
  std::vector<Labels> found;
  for (const Hypothesis& one : ctc_search(logits, {.blank = 1, .beam = 5, .best = 5})) {
    EXPECT_TRUE(std::isfinite(one.score));
    found.push_back(one.tokens);
  }
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<Labels>{{}, {0}}));
}

TEST(CtcSearch, WithoutABeamItIsTheBestPath) {
  Arena arena;
  const Tensor logits = arena.tensor({6, 3});
  const std::int32_t path[] = {0, 0, 2, 0, 1, 1};  // 2 is the blank
  for (Index r = 0; r < 6; ++r) {
    for (Index c = 0; c < 3; ++c) logits.row(r)[c] = c == path[r] ? 3.0f : 0.0f;
  }
  const std::vector<Hypothesis> found = ctc_search(logits, {.blank = 2, .beam = 1});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].tokens, (Labels{0, 0, 1}));
  // A token that may not be written is not.
  EXPECT_EQ(ctc_search(logits, {.blank = 2, .never = 1, .beam = 1})[0].tokens, (Labels{0, 0}));
}

TEST(CtcSearch, OfNoRowsThereIsNothing) {
  Arena arena;
  const Tensor logits = arena.tensor({0, 3});
  EXPECT_TRUE(ctc_search(logits, {.blank = 2, .beam = 1})[0].tokens.empty());
  EXPECT_TRUE(ctc_search(logits, {.blank = 2, .beam = 4})[0].tokens.empty());
  EXPECT_THROW(ctc_search(logits, {.blank = 2, .beam = 0}), UsageError);
}

}  // namespace
}  // namespace heed::decode
