#include "heed/decode/beam.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"
#include "tests/decode/made_steps.h"

namespace heed::decode {
namespace {

constexpr Index kVocabulary = 9;
constexpr std::int32_t kBeamEnd = 8, kNever = 0;

BeamOptions beam_options(Index sequences, Index beam, Index best, float penalty,
                         Index longest = 12) {
  BeamOptions result;
  result.search = {.begin = kBeamEnd,
                   .end = kBeamEnd,
                   .never = kNever,
                   .longest = std::vector<Index>(static_cast<std::size_t>(sequences), longest),
                   .prompts = {}};
  result.beam = beam;
  result.best = best;
  result.length_penalty = penalty;
  return result;
}

// The slow, obvious version for one sequence: every continuation of every hypothesis, sorted.
std::vector<Hypothesis> reference(std::uint64_t history, const BeamOptions& options,
                                  Index longest) {
  struct Path {
    std::uint64_t history;
    std::vector<std::int32_t> tokens;
    double log_probability;
    std::size_t from;
    std::int32_t token;
  };
  std::vector<Path> open = {{MadeSteps::after(history, kBeamEnd), {}, 0.0, 0, 0}};
  std::vector<Hypothesis> finished;
  const auto close = [&](const Path& path, bool ended) {
    const double length =
        std::max(1.0, static_cast<double>(path.tokens.size()) + (ended ? 1.0 : 0.0));
    const double score =
        path.log_probability / std::pow(length, static_cast<double>(options.length_penalty));
    finished.push_back(
        {path.tokens, static_cast<float>(path.log_probability), static_cast<float>(score), ended});
  };
  for (Index length = 1; length <= longest; ++length) {
    std::vector<Path> all;
    for (std::size_t h = 0; h < open.size(); ++h) {
      const std::vector<float> scores = MadeSteps::scores(open[h].history, kVocabulary);
      double sum = 0.0;
      for (const float score : scores) sum += std::exp(static_cast<double>(score));
      for (std::int32_t token = 0; token < kVocabulary; ++token) {
        if (token == kNever) continue;
        const double p =
            static_cast<double>(scores[static_cast<std::size_t>(token)]) - std::log(sum);
        all.push_back({0, open[h].tokens, open[h].log_probability + p, h, token});
        all.back().history = MadeSteps::after(open[h].history, token);
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Path& a, const Path& b) {
      return a.log_probability > b.log_probability;
    });
    std::vector<Path> next;
    for (std::size_t place = 0; place < all.size(); ++place) {
      if (std::ssize(next) == options.beam) break;
      Path& path = all[place];
      if (path.token == kBeamEnd) {
        if (static_cast<Index>(place) < options.beam) close(path, true);
        continue;
      }
      path.tokens.push_back(path.token);
      next.push_back(path);
    }
    open = next;
    const auto sort_finished = [&] {
      std::stable_sort(finished.begin(), finished.end(),
                       [](const auto& a, const auto& b) { return a.score > b.score; });
      finished.resize(std::min(finished.size(), static_cast<std::size_t>(options.beam)));
    };
    sort_finished();
    const double so_far = open[0].log_probability /
                          std::pow(static_cast<double>(length), double{options.length_penalty});
    if (std::ssize(finished) >= options.beam && double{finished.back().score} >= so_far) break;
    if (length == longest) {
      for (const Path& path : open) close(path, false);
      sort_finished();
    }
  }
  finished.resize(std::min(finished.size(), static_cast<std::size_t>(options.best)));
  return finished;
}

TEST(BeamSearch, OfAnySizeIsThePlainSearch) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    for (const Index beam : {1, 2, 3, 5, 8, 20}) {
      for (const float penalty : {0.0f, 0.6f, 1.0f}) {
        const Index sequences = 7;
        const BeamOptions asked = beam_options(sequences, beam, beam, penalty);
        MadeSteps steps(sequences, kVocabulary, seed);
        const Hypotheses found = beam_search(steps, asked);
        ASSERT_EQ(std::ssize(found), sequences);
        for (Index s = 0; s < sequences; ++s) {
          const auto expected = reference(mix(seed, std::uint64_t(s)), asked, 12);
          const auto& got = found[static_cast<std::size_t>(s)];
          ASSERT_EQ(got.size(), expected.size()) << "seed " << seed << " beam " << beam;
          for (std::size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(got[i].tokens, expected[i].tokens)
                << "seed " << seed << ", beam " << beam << ", sequence " << s << ", " << i;
            EXPECT_NEAR(got[i].score, expected[i].score, 1e-4);
            EXPECT_EQ(got[i].ended, expected[i].ended);
          }
        }
      }
    }
  }
}

TEST(BeamSearch, OfOneIsGreedy) {
  const Index sequences = 20;
  MadeSteps steps(sequences, kVocabulary, 7);
  const Hypotheses found = beam_search(steps, beam_options(sequences, 1, 1, 1.0f));
  for (Index s = 0; s < sequences; ++s) {
    std::uint64_t history = MadeSteps::after(mix(7, std::uint64_t(s)), kBeamEnd);
    std::vector<std::int32_t> tokens;
    while (tokens.size() < 12) {
      const std::vector<float> scores = MadeSteps::scores(history, kVocabulary);
      const auto best = std::max_element(scores.begin() + 1, scores.end()) - scores.begin();
      if (best == kBeamEnd) break;
      tokens.push_back(static_cast<std::int32_t>(best));
      history = MadeSteps::after(history, tokens.back());
    }
    EXPECT_EQ(found[static_cast<std::size_t>(s)][0].tokens, tokens) << s;
  }
}

// What is told is never taken back, is the best hypothesis in the end, and does not wait for it.
TEST(BeamSearch, TellsTokensAsSoonAsTheyAreCertain) {
  const Index sequences = 40;
  for (const Index beam : {1, 2, 5}) {
    BeamOptions asked = beam_options(sequences, beam, 1, 1.0f, 30);
    std::vector<std::vector<std::int32_t>> told(sequences);
    std::vector<std::vector<Index>> when(sequences);
    MadeSteps steps(sequences, kVocabulary, 11);
    asked.written = [&](Index sequence, std::int32_t token) {
      told[static_cast<std::size_t>(sequence)].push_back(token);
      when[static_cast<std::size_t>(sequence)].push_back(steps.steps());
    };
    const Hypotheses found = beam_search(steps, asked);
    Index early = 0;
    for (std::size_t s = 0; s < told.size(); ++s) {
      EXPECT_EQ(told[s], found[s][0].tokens) << "beam " << beam << ", sequence " << s;
      if (!when[s].empty() && when[s].front() < when[s].back()) ++early;
    }
    EXPECT_GT(early, 0) << "beam " << beam;
  }
}

TEST(BeamSearch, OfOneTellsEachTokenAtOnce) {
  BeamOptions asked = beam_options(1, 1, 1, 1.0f);
  MadeSteps steps(1, kVocabulary, 7);
  Index count = 0;
  asked.written = [&](Index, std::int32_t) { EXPECT_EQ(steps.steps(), ++count); };
  const Hypotheses found = beam_search(steps, asked);
  EXPECT_EQ(count, std::ssize(found[0][0].tokens));
  EXPECT_GT(count, 1);
}

// Sure of one sequence of eight tokens; everything else, the end included, gets the same little
// probability in every step.
class SureSteps : public Steps {
 public:
  void next(std::span<const std::int32_t>, std::span<const Index> counts,
            const Take& take) override {
    if (read_.empty()) read_.assign(counts.size(), -1);
    for (std::size_t s = 0; s < counts.size(); ++s) read_[s] += counts[s];
    scores_.assign(counts.size() * kVocabulary, 0.0f);
    for (std::size_t s = 0; s < counts.size(); ++s) {
      const Index sure = read_[s] < 8 ? kBeamEnd - 1 : kBeamEnd;
      scores_[s * kVocabulary + static_cast<std::size_t>(sure)] = 5.0f;
    }
    take(0, {scores_.data(), {std::ssize(counts), kVocabulary}});
  }
  void keep(std::span<const Index> sequences) override {
    std::vector<Index> kept;
    for (const Index s : sequences) kept.push_back(read_[static_cast<std::size_t>(s)]);
    read_ = std::move(kept);
  }

 private:
  std::vector<Index> read_;
  std::vector<float> scores_;
};

TEST(BeamSearch, EndsThatComeTooEarlyDoNotEndTheSearch) {
  for (const Index beam : {1, 2, 3, 5, 8}) {
    SureSteps steps;
    const Hypotheses found = beam_search(steps, beam_options(1, beam, 1, 1.0f, 50));
    EXPECT_EQ(found[0][0].tokens, std::vector<std::int32_t>(8, kBeamEnd - 1)) << "beam " << beam;
  }
}

TEST(BeamSearch, ASequenceDoesNotDependOnTheOthers) {
  const BeamOptions together = beam_options(6, 4, 4, 1.0f);
  MadeSteps steps(6, kVocabulary, 3);
  const Hypotheses all = beam_search(steps, together);
  // The first alone: it has the same beginning there.
  MadeSteps alone(1, kVocabulary, 3);
  const Hypotheses one = beam_search(alone, beam_options(1, 4, 4, 1.0f));
  ASSERT_EQ(one[0].size(), all[0].size());
  for (std::size_t i = 0; i < one[0].size(); ++i) EXPECT_EQ(one[0][i].tokens, all[0][i].tokens);
}

TEST(BeamSearch, EndsAtTheLongestLengthWhateverTheModelSays) {
  BeamOptions asked = beam_options(3, 2, 2, 1.0f);
  asked.search.end = 100;  // never chosen: there is no such token
  asked.search.longest = {1, 5, 30};
  MadeSteps steps(3, kVocabulary, 1);
  const Hypotheses found = beam_search(steps, asked);
  for (std::size_t s = 0; s < 3; ++s) {
    for (const Hypothesis& one : found[s]) {
      EXPECT_EQ(std::ssize(one.tokens), asked.search.longest[s]);
      EXPECT_FALSE(one.ended);
    }
  }
  EXPECT_EQ(steps.steps(), 30);
}

TEST(BeamSearch, AVocabularySmallerThanTheBeamIsSearchedWhole) {
  MadeSteps steps(2, 3, 1);
  BeamOptions asked = beam_options(2, 10, 10, 1.0f, 4);
  asked.search.end = asked.search.begin = 2;
  for (const auto& each : beam_search(steps, asked)) {
    EXPECT_GE(each.size(), 1u);
    for (const Hypothesis& one : each) {
      for (const std::int32_t token : one.tokens) EXPECT_EQ(token, 1);
    }
  }
}

TEST(BeamSearch, WhereNothingMayBeWrittenNothingIs) {
  MadeSteps steps(2, kVocabulary, 1);
  BeamOptions asked = beam_options(2, 3, 1, 1.0f);
  asked.search.longest = {0, 4};
  const Hypotheses found = beam_search(steps, asked);
  ASSERT_EQ(found[0].size(), 1u);
  EXPECT_TRUE(found[0][0].tokens.empty());
  EXPECT_FALSE(found[1].empty());
}

TEST(BeamSearch, NothingAskedIsNothingFound) {
  MadeSteps steps(0, kVocabulary, 1);
  EXPECT_TRUE(beam_search(steps, beam_options(0, 3, 1, 1.0f)).empty());
  EXPECT_THROW(beam_search(steps, beam_options(1, 0, 1, 1.0f)), UsageError);
}

}  // namespace
}  // namespace heed::decode
