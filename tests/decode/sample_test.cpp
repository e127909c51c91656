#include "heed/decode/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "heed/base/error.h"
#include "heed/decode/beam.h"
#include "heed/decode/candidates.h"
#include "tests/decode/made_steps.h"

namespace heed::decode {
namespace {

constexpr std::int32_t kSampleEnd = 5;

SampleOptions sample_options(Index sequences, Index longest = 10) {
  SampleOptions result;
  result.search = {.begin = kSampleEnd,
                   .end = kSampleEnd,
                   .never = -1,
                   .longest = std::vector<Index>(static_cast<std::size_t>(sequences), longest),
                   .prompts = {}};
  return result;
}

// The same scores in every step, whatever was read.
class Constant : public Steps {
 public:
  Constant(std::vector<float> scores, Index sequences)
      : row_(std::move(scores)), count_(sequences) {}
  void next(std::span<const std::int32_t>, std::span<const Index>, const Take& take) override {
    all_.clear();
    for (Index i = 0; i < count_; ++i) all_.insert(all_.end(), row_.begin(), row_.end());
    take(0, {all_.data(), {count_, std::ssize(row_)}});
  }
  void keep(std::span<const Index> sequences) override { count_ = std::ssize(sequences); }

 private:
  std::vector<float> row_, all_;
  Index count_;
};

std::vector<double> shares(const SampleOptions& asked, const std::vector<float>& scores) {
  Constant steps(scores, std::ssize(asked.search.longest));
  std::map<std::int32_t, double> counts;
  double total = 0.0;
  for (const auto& each : sample(steps, asked)) {
    for (const std::int32_t token : each[0].tokens) {
      ++counts[token];
      ++total;
    }
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    result.push_back(counts[static_cast<std::int32_t>(i)] / total);
  }
  return result;
}

TEST(Sample, DrawsByTheProbabilities) {
  const std::vector<float> scores = {std::log(0.5f), std::log(0.3f), std::log(0.2f)};
  SampleOptions asked = sample_options(2000, 10);
  // 20,000 draws: a standard error of at most 0.0036.
  const std::vector<double> plain = shares(asked, scores);
  EXPECT_NEAR(plain[0], 0.5, 0.015);
  EXPECT_NEAR(plain[1], 0.3, 0.015);
  asked.temperature = 0.5f;  // squares: 0.25, 0.09, 0.04 of 0.38
  const std::vector<double> cold = shares(asked, scores);
  EXPECT_NEAR(cold[0], 0.25 / 0.38, 0.015);
  EXPECT_NEAR(cold[2], 0.04 / 0.38, 0.015);
  asked.temperature = 1.0f;
  asked.top_k = 2;
  const std::vector<double> two = shares(asked, scores);
  EXPECT_NEAR(two[0], 0.5 / 0.8, 0.015);
  EXPECT_EQ(two[2], 0.0);
  asked.top_k = 0;
  asked.top_p = 0.4f;  // the first has that alone
  EXPECT_EQ(shares(asked, scores)[0], 1.0);
  asked.top_p = 0.7f;
  EXPECT_NEAR(shares(asked, scores)[1], 0.3 / 0.8, 0.015);
}

// All of many tokens, and a nucleus of them; the likeliest is never taken.
TEST(Sample, DrawsFromALargeVocabularyByTheProbabilities) {
  constexpr std::size_t kTokens = 500;
  std::vector<float> scores(kTokens);
  std::vector<double> expected(kTokens);
  SampleOptions asked = sample_options(5000, 20);
  asked.search.end = asked.search.begin = -1;
  asked.search.never = 7;
  asked.temperature = 2.0f;
  double sum = 0.0;
  for (std::size_t i = 0; i < kTokens; ++i) {
    scores[i] = i == 7 ? 50.0f : -0.01f * static_cast<float>((i * 37) % kTokens);
    expected[i] = i == 7 ? 0.0 : std::exp(static_cast<double>(scores[i]) / 2.0);
    sum += expected[i];
  }
  // The squared differences of 100,000 draws, as parts of what is expected, add up to about as much
  // as there are tokens, give or take √(2 · tokens).
  const auto distance = [&](const std::vector<double>& drawn, double total) {
    double squares = 0.0;
    for (std::size_t i = 0; i < kTokens; ++i) {
      const double share = expected[i] / total;
      if (share > 0.0) squares += 100000.0 * (drawn[i] - share) * (drawn[i] - share) / share;
      EXPECT_TRUE(share > 0.0 || drawn[i] == 0.0) << i;
    }
    return squares;
  };
  EXPECT_NEAR(distance(shares(asked, scores), sum), 500.0, 160.0);
  asked.top_p = 0.8f;
  std::vector<double> sorted = expected;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double nucleus = 0.0, least = 0.0;
  for (std::size_t i = 0; nucleus < 0.8 * sum; ++i) nucleus += least = sorted[i];
  for (double& weight : expected) weight = weight < least ? 0.0 : weight;
  EXPECT_NEAR(distance(shares(asked, scores), nucleus), 300.0, 160.0);
}

TEST(Sample, TheSeedDecidesAndTheOthersDoNot) {
  const auto run = [](Index sequences, std::uint64_t seed) {
    MadeSteps steps(sequences, 6, 1);
    SampleOptions asked = sample_options(sequences);
    asked.seed = seed;
    return sample(steps, asked);
  };
  const Hypotheses three = run(3, 1), one = run(1, 1), again = run(3, 1), other = run(3, 2);
  EXPECT_EQ(three[0][0].tokens, one[0][0].tokens);
  bool differs = false;
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(three[s][0].tokens, again[s][0].tokens);
    differs |= three[s][0].tokens != other[s][0].tokens;
  }
  EXPECT_TRUE(differs);
}

TEST(Sample, WithoutTemperatureIsGreedy) {
  MadeSteps steps(5, 6, 9), same(5, 6, 9);
  SampleOptions asked = sample_options(5);
  asked.temperature = 0.0f;
  const Hypotheses drawn = sample(steps, asked);
  const Hypotheses greedy = beam_search(same, {asked.search, 1, 1, 1.0f});
  for (std::size_t s = 0; s < 5; ++s) EXPECT_EQ(drawn[s][0].tokens, greedy[s][0].tokens);
}

TEST(Sample, AtATemperatureNearZeroAndWithoutNumbersItIsTheLikeliest) {
  SampleOptions asked = sample_options(3, 4);
  asked.temperature = 1e-38f;
  EXPECT_EQ(shares(asked, {-7.0f, 5.0f, 4.0f})[1], 1.0);
  asked.temperature = 1.0f;
  asked.search.never = 0;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float top_p : {1.0f, 0.9f}) {
    asked.top_p = top_p;
    EXPECT_EQ(shares(asked, {1.0f, nan, 2.0f, 3.0f})[0], 0.0);
  }
}

TEST(Sample, PromptsAreReadFirstAndTokensToldAsTheyCome) {
  MadeSteps steps(2, 6, 4);
  SampleOptions asked = sample_options(2);
  asked.temperature = 0.0f;
  asked.search.prompts = {{1, 2, 3}, {}};
  std::vector<std::vector<std::int32_t>> told(2);
  asked.written = [&](Index s, std::int32_t token) {
    told[static_cast<std::size_t>(s)].push_back(token);
  };
  const Hypotheses found = sample(steps, asked);
  for (std::size_t s = 0; s < 2; ++s) EXPECT_EQ(found[s][0].tokens, told[s]);
  std::uint64_t history = mix(4, 0);
  for (const std::int32_t token : {kSampleEnd, 1, 2, 3}) history = MadeSteps::after(history, token);
  const std::vector<float> scores = MadeSteps::scores(history, 6);
  const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
  if (best == kSampleEnd) {
    EXPECT_TRUE(found[0][0].tokens.empty());
  } else {
    EXPECT_EQ(found[0][0].tokens.front(), best);
  }
}

TEST(Sample, RefusesWhatHasNoMeaning) {
  MadeSteps steps(1, 6, 1);
  SampleOptions asked = sample_options(1);
  asked.top_p = 0.0f;
  EXPECT_THROW(sample(steps, asked), UsageError);
  asked.top_p = 1.0f;
  asked.temperature = -1.0f;
  EXPECT_THROW(sample(steps, asked), UsageError);
  asked.temperature = 1.0f;
  asked.search.prompts = {{}, {}};
  EXPECT_THROW(sample(steps, asked), UsageError);
}

TEST(BestTokens, AreSortedWithTheirLogProbabilities) {
  const std::vector<float> logits = {2.0f, 5.0f, 1.0f, 5.0f, 4.0f};
  std::vector<TokenScore> best;
  best_tokens(logits, 1, 3, best);
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].token, 3);
  EXPECT_EQ(best[1].token, 4);
  EXPECT_EQ(best[2].token, 0);
  double sum = 0.0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
  EXPECT_NEAR(best[1].log_probability, 4.0 - std::log(sum), 1e-5);
}

// Equal ones, the one that is never taken, and the end of the row included.
TEST(BestTokens, OfALargeVocabularyAreThoseOfAPlainSort) {
  Random random(5);
  for (const Index vocabulary : {63, 64, 65, 1000, 8001}) {
    std::vector<float> logits;
    for (Index i = 0; i < vocabulary; ++i) logits.push_back(std::round(8.0f * random.normal()));
    const auto never =
        static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    std::vector<std::int32_t> order;
    for (std::int32_t token = 0; token < static_cast<std::int32_t>(vocabulary); ++token) {
      if (token != never) order.push_back(token);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return logits[static_cast<std::size_t>(a)] > logits[static_cast<std::size_t>(b)];
    });
    for (const Index most : {1, 2, 10, 60}) {
      std::vector<TokenScore> best;
      best_tokens(logits, never, most, best);
      ASSERT_EQ(std::ssize(best), most);
      for (std::size_t i = 0; i < best.size(); ++i) {
        EXPECT_EQ(best[i].token, order[i]) << vocabulary << " tokens, " << most << ", place " << i;
      }
    }
  }
}

TEST(BestTokens, ThereAreAsManyWhereSomeAreNotANumber) {
  std::vector<float> logits(1000, 1.0f);
  logits[700] = std::numeric_limits<float>::quiet_NaN();
  std::vector<TokenScore> best;
  best_tokens(logits, 0, 10, best);
  EXPECT_EQ(best.size(), 10u);
}

}  // namespace
}  // namespace heed::decode
