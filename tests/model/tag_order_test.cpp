#include "heed/model/output/tag_order.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/grad/context.h"

namespace heed {
namespace {

using TagNames = std::vector<std::string>;

Dataset tagged(const std::vector<TagNames>& sentences) {
  Dataset data;
  for (const TagNames& tags : sentences)
    data.records.push_back(make_record(Sentence{tags}, Tags{tags}));
  return data;
}

TEST(TagOrder, IsFoundFromTheData) {
  const TagNames bio{"B-X", "B-Y", "I-X", "O"};
  EXPECT_EQ(find_tag_order(tagged({{"B-X", "I-X", "O"}, {"B-Y"}}), bio), TagOrder::kIob2);
  EXPECT_EQ(find_tag_order(tagged({{"I-X", "I-X", "O"}, {"B-Y"}}), bio), TagOrder::kAny);
  EXPECT_EQ(find_tag_order(tagged({{"NOUN"}, {"VERB"}}), TagNames{"NOUN", "VERB"}), TagOrder::kAny);
  const TagNames bioes{"B-X", "E-X", "I-X", "O", "S-X"};
  EXPECT_EQ(find_tag_order(tagged({{"B-X", "I-X", "E-X"}, {"S-X", "O"}}), bioes), TagOrder::kIobes);
  // One slip among many spans is a slip.
  std::vector<TagNames> sentences(40, {"B-X", "I-X", "O"});
  sentences.push_back({"O", "I-X"});
  EXPECT_EQ(find_tag_order(tagged(sentences), bio), TagOrder::kIob2);
}

// The best sequence by scores (rows, tags) of a single sentence.
std::vector<std::int32_t> best(std::vector<float> scores, const TagNames& names, TagOrder order) {
  Arena arena;
  const auto tags = static_cast<Index>(names.size());
  const Index rows = static_cast<Index>(scores.size()) / tags;
  TagOrderScores mask(names, order);
  return grad::viterbi({{{scores.data(), {rows, tags}}}, Layout::uniform(arena, 1, rows)},
                       mask.parameters());
}

TEST(TagOrder, WhatCannotBeIsNeverAnswered) {
  const TagNames names{"B-X", "I-X", "I-Y", "O"};
  // Each row alone would say O, I-X.
  const std::vector<float> scores{0, 0, 0, 5, 2, 4, 0, 0};
  EXPECT_EQ(best(scores, names, TagOrder::kAny), (std::vector<std::int32_t>{3, 1}));
  EXPECT_EQ(best(scores, names, TagOrder::kIob2), (std::vector<std::int32_t>{3, 0}));
  // I-Y can stand nowhere, as nothing begins a Y, however much its row wants it.
  EXPECT_EQ(best({3, 0, 0, 2, 0, 0, 9, 1}, names, TagOrder::kIob2),
            (std::vector<std::int32_t>{0, 3}));
  const TagNames bioes{"B-X", "E-X", "O", "S-X"};
  // A span that is not closed is none.
  EXPECT_EQ(best({5, 0, 1, 2}, bioes, TagOrder::kIobes), (std::vector<std::int32_t>{3}));
}

TEST(TagOrder, MarginalsOfAChainAreProbabilities) {
  Context context;
  context.begin(Mode::kEvaluate);
  Arena arena;
  std::vector<float> scores{1, 0, 0.5f, 2, -1, 0};  // 3 rows, 2 tags
  std::vector<float> transitions{0.5f, -0.5f, 0.25f, 0}, start{0, 1}, end{0.3f, 0};
  const grad::CrfParameters chain{
      {{transitions.data(), {2, 2}}}, {{start.data(), {2}}}, {{end.data(), {2}}}};
  const Tensor found = grad::crf_marginals(
      context, {{{scores.data(), {3, 2}}}, Layout::uniform(arena, 1, 3)}, chain);
  // All eight sequences, one by one.
  double sum = 0.0;
  std::vector<double> each(6, 0.0);
  for (int path = 0; path < 8; ++path) {
    const int tags[3] = {path & 1, path >> 1 & 1, path >> 2 & 1};
    double score =
        start[static_cast<std::size_t>(tags[0])] + end[static_cast<std::size_t>(tags[2])];
    for (int t = 0; t < 3; ++t) {
      score += scores[static_cast<std::size_t>(2 * t + tags[t])];
      if (t > 0) score += transitions[static_cast<std::size_t>(2 * tags[t - 1] + tags[t])];
    }
    sum += std::exp(score);
    for (int t = 0; t < 3; ++t) each[static_cast<std::size_t>(2 * t + tags[t])] += std::exp(score);
  }
  for (Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(found[i], each[static_cast<std::size_t>(i)] / sum, 1e-6) << i;
  }
}

}  // namespace
}  // namespace heed
