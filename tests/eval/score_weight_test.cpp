#include "heed/eval/score_weight.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/random.h"

namespace heed {
namespace {

constexpr std::size_t kClasses = 4;

// Answers drawn from softmax(first + second), whose second scores were then divided by `weight` and
// all multiplied by `scale`.
std::vector<PartScores> drawn_answers(Index count, double weight, double scale = 1.0) {
  Random random(6);
  std::vector<PartScores> answers;
  for (Index i = 0; i < count; ++i) {
    PartScores& answer = answers.emplace_back();
    std::vector<double> exact;
    double sum = 0.0;
    for (std::size_t c = 0; c < kClasses; ++c) {
      const auto first = static_cast<double>(random.normal());
      const auto second = static_cast<double>(random.normal());
      sum += exact.emplace_back(std::exp(first + second));
      answer.first.push_back(static_cast<float>(scale * first));
      answer.second.push_back(static_cast<float>(scale * second / weight));
    }
    double chance = static_cast<double>(random.uniform()) * sum;
    while (answer.truth + 1 < std::ssize(exact) &&
           chance > exact[static_cast<std::size_t>(answer.truth)]) {
      chance -= exact[static_cast<std::size_t>(answer.truth++)];
    }
  }
  return answers;
}

TEST(ScoreWeight, FindsWhatTheScoresWereDividedBy) {
  for (const double weight : {0.2, 1.0, 5.0}) {
    for (const double scale : {0.3, 4.0}) {
      const float found = best_weight(drawn_answers(20000, weight, scale));
      EXPECT_NEAR(static_cast<double>(found) / weight, 1.0, 0.06) << weight << ", " << scale;
    }
  }
}

TEST(ScoreWeight, OfAFewAnswersItStaysNearOne) {
  const double many = std::log(static_cast<double>(best_weight(drawn_answers(20000, 5.0))));
  const double few = std::log(static_cast<double>(best_weight(drawn_answers(20, 5.0))));
  EXPECT_GT(few, 0.0);
  EXPECT_LT(few, 0.5 * many);
  EXPECT_EQ(best_weight({}), 1.0f);
}

TEST(ScoreWeight, APartThatKnowsNothingIsLeftOut) {
  std::vector<PartScores> answers = drawn_answers(5000, 1.0);
  Random random(8);
  for (PartScores& answer : answers) {
    answer.first.assign(kClasses, 0.0f);
    answer.first[static_cast<std::size_t>(answer.truth)] = 3.0f;
    for (float& score : answer.second) score = 10.0f * random.normal();
  }
  EXPECT_LT(best_weight(answers), 0.05f);
  for (PartScores& answer : answers) std::swap(answer.first, answer.second);
  EXPECT_GT(best_weight(answers), 20.0f);
  // Nor is one that is always wrong turned around.
  for (PartScores& answer : answers) {
    for (std::size_t c = 0; c < kClasses; ++c) answer.first[c] = -answer.second[c];
  }
  EXPECT_GT(best_weight(answers), 20.0f);
}

TEST(ScoreWeight, IsFiniteWhereAllAnswersAreRightOrAllScoresAlike) {
  std::vector<PartScores> answers(300, {{2.0f, 0.0f}, {5.0f, 0.0f}, 0});
  EXPECT_TRUE(std::isfinite(best_weight(answers)));
  for (PartScores& answer : answers) answer.second = answer.first = {1.0f, 1.0f};
  EXPECT_NEAR(best_weight(answers), 1.0f, 1e-3f);
  answers = {{{1.0f}, {3.0f}, 0}};
  EXPECT_NEAR(best_weight(answers), 1.0f, 1e-3f);
}

}  // namespace
}  // namespace heed
