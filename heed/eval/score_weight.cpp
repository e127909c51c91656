#include "heed/eval/score_weight.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr double kMostRatio = 100.0;
constexpr double kFewAnswers = 100.0;
constexpr int kNewtonSteps = 50;

// The loss at (a, b), summed over the answers, with its derivatives.
struct LossAt {
  double loss = 0.0;
  double da = 0.0, db = 0.0;               // gradient
  double daa = 0.0, dab = 0.0, dbb = 0.0;  // Hessian
};

// −Σ_c target[c] · log softmax(z)[c] with z = a · first + b · second. With means E over the
// softmax,
//   d/da = E[first] − Σ target · first      d²/da db = E[first · second] − E[first] E[second]
// Of n answers the true class counts n + 1 in n + 2, the others share the rest, as for
// temperatures: where all answers are right the factors would grow without end.
LossAt loss_at(std::span<const PartScores> answers, double a, double b) {
  LossAt sum;
  std::vector<double> p;
  const auto count = static_cast<double>(answers.size());
  for (const PartScores& answer : answers) {
    const std::size_t classes = answer.first.size();
    const auto first = [&](std::size_t c) { return static_cast<double>(answer.first[c]); };
    const auto second = [&](std::size_t c) { return static_cast<double>(answer.second[c]); };
    p.resize(classes);
    for (std::size_t c = 0; c < classes; ++c) p[c] = a * first(c) + b * second(c);
    const auto truth = static_cast<std::size_t>(answer.truth);
    const double others =
        classes > 1 ? 1.0 / ((count + 2.0) * static_cast<double>(classes - 1)) : 0.0;
    double target_first = 0.0, target_second = 0.0;
    for (std::size_t c = 0; c < classes; ++c) {
      const double target = c == truth ? (count + 1.0) / (count + 2.0) : others;
      target_first += target * first(c);
      target_second += target * second(c);
    }
    const double most = *std::max_element(p.begin(), p.end());
    double all = 0.0;
    for (double& each : p) all += each = std::exp(each - most);
    double f = 0.0, s = 0.0, ff = 0.0, fs = 0.0, ss = 0.0;
    for (std::size_t c = 0; c < classes; ++c) {
      const double share = p[c] / all;
      f += share * first(c);
      s += share * second(c);
      ff += share * first(c) * first(c);
      fs += share * first(c) * second(c);
      ss += share * second(c) * second(c);
    }
    sum.loss += most + std::log(all) - a * target_first - b * target_second;
    sum.da += f - target_first;
    sum.db += s - target_second;
    sum.daa += ff - f * f;
    sum.dab += fs - f * s;
    sum.dbb += ss - s * s;
  }
  return sum;
}

}  // namespace

// The loss is convex in (a, b). Newton's steps, halved until the loss falls; neither factor becomes
// negative: a part that is worse than chance is left out, not turned around.
float best_weight(std::span<const PartScores> answers) {
  if (answers.empty()) return 1.0f;
  double a = 0.5, b = 0.5;
  LossAt at = loss_at(answers, a, b);
  for (int step = 0; step < kNewtonSteps; ++step) {
    // A little is added to the Hessian: of scores that are all alike it has no inverse.
    const double ridge = 1e-6 * (at.daa + at.dbb) + 1e-9;
    const double daa = at.daa + ridge, dbb = at.dbb + ridge;
    const double determinant = daa * dbb - at.dab * at.dab;
    const double to_a = (dbb * at.da - at.dab * at.db) / determinant;
    const double to_b = (daa * at.db - at.dab * at.da) / determinant;
    bool better = false;
    for (double size = 1.0; size > 1e-4 && !better; size /= 2.0) {
      const double next_a = std::max(0.0, a - size * to_a), next_b = std::max(0.0, b - size * to_b);
      const LossAt next = loss_at(answers, next_a, next_b);
      if (next.loss > at.loss - 1e-6) continue;
      better = true;
      a = next_a;
      b = next_b;
      at = next;
    }
    if (!better) break;
  }
  // Where neither part says anything, both stay as they are.
  if (a + b <= 0.0) return 1.0f;
  const double ratio = std::clamp(b / std::max(a, 1e-9), 1.0 / kMostRatio, kMostRatio);
  const auto count = static_cast<double>(answers.size());
  return static_cast<float>(std::exp(std::log(ratio) * count / (count + kFewAnswers)));
}

}  // namespace heed
