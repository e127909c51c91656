#include "heed/eval/temperature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/base/random.h"

namespace heed {
namespace {

// Answers whose probabilities are those of the classes, made surer: p^power.
std::vector<Answered> made_answers(Index count, double power) {
  Random random(4);
  std::vector<Answered> answers;
  for (Index i = 0; i < count; ++i) {
    std::vector<double> exact(5);
    double sum = 0.0;
    for (double& p : exact) sum += p = std::exp(static_cast<double>(random.normal()));
    double chance = static_cast<double>(random.uniform()) * sum;
    Answered answer;
    while (answer.truth < 4 && chance > exact[static_cast<std::size_t>(answer.truth)]) {
      chance -= exact[static_cast<std::size_t>(answer.truth++)];
    }
    double sharp = 0.0;
    for (const double p : exact) sharp += std::pow(p, power);
    for (const double p : exact) {
      answer.probabilities.push_back(static_cast<float>(std::pow(p, power) / sharp));
    }
    answers.push_back(answer);
  }
  return answers;
}

TEST(Temperature, UndoesWhatMadeAnswersTooSure) {
  for (const double power : {0.5, 1.0, 3.0, 12.0}) {
    const float found = best_temperature(made_answers(20000, power));
    EXPECT_NEAR(static_cast<double>(found) / power, 1.0, 0.05) << power;
  }
}

TEST(Temperature, KeepsTheOrderAndTheSum) {
  const std::vector<float> before = {0.7f, 0.2f, 0.1f, 0.0f};
  for (const float temperature : {0.3f, 1.0f, 4.0f}) {
    const Tempered tempered(temperature, before);
    std::vector<float> after;
    for (const float p : before) after.push_back(tempered(p));
    EXPECT_NEAR(std::accumulate(after.begin(), after.end(), 0.0f), 1.0f, 1e-3f);
    EXPECT_TRUE(std::is_sorted(after.rbegin(), after.rend()));
    if (temperature > 1.0f) {
      EXPECT_LT(after[0], before[0]);
    }
  }
}

// Two right answers with a probability of nearly 1 do not show that all will be right.
TEST(Temperature, FewAnswersProveLittle) {
  const std::vector<Answered> answers(2, {{0.999999f, 0.000001f}, 0});
  const Tempered tempered(best_temperature(answers), answers[0].probabilities);
  EXPECT_NEAR(tempered(answers[0].probabilities[0]), 0.75f, 0.01f);
  EXPECT_EQ(best_temperature({}), 1.0f);
}

}  // namespace
}  // namespace heed
