#include "heed/model/wide/linear_svm.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>

#include "heed/base/random.h"
#include "heed/base/workers.h"
#include "heed/kernel/rows.h"

namespace heed {
namespace {

constexpr Index kTogether = 16;     // classes
constexpr float kDiagonal = 0.5f;   // 1 / (2 C): what the squared hinge adds to the dual's diagonal
constexpr float kTolerance = 0.1f;  // of the projected gradient, as liblinear has it
constexpr int kMostPasses = 300;    // 10 to 20 are usual

using Lanes = std::array<float, kTogether>;

// Up to 16 classes, each against all others.
//
// The dual has an α ≥ 0 for each text, and w = Σ α y x. Its gradient at a text is
//   y w·x − 1 + α / 2C
// A visit moves α to where that is 0, or to 0, all other texts' α being as they are.
class Descent {
 public:
  Descent(const LabelledFeatures& texts, Index features, Index first, Index classes)
      : texts_(texts),
        first_(first),
        classes_(classes),
        weights_(static_cast<std::size_t>(features * kTogether)),
        alphas_(static_cast<std::size_t>(texts.count())) {
    std::fill_n(open_.begin(), classes, true);
  }

  // Visits all texts once. True when every class is done.
  bool pass(std::span<const std::int32_t> order) {
    Lanes largest{};
    for (const Index text : order) visit(text, largest);
    for (std::size_t c = 0; c < kTogether; ++c) open_[c] = open_[c] && largest[c] > kTolerance;
    return std::none_of(open_.begin(), open_.end(), [](bool open) { return open; });
  }

  void put(const Tensor& weights) const {
    for (Index feature = 0; feature < weights.rows(); ++feature) {
      std::copy_n(weights_.data() + feature * kTogether, classes_, weights.row(feature) + first_);
    }
  }

 private:
  void visit(Index text, Lanes& largest) {
    const auto features = texts_.features(text);
    const auto values = texts_.values(text);
    const Index own = texts_.label(text) - first_;
    const float diagonal = texts_.sum_of_squares(text) + kDiagonal;
    Lanes scores, steps{};
    kernel::sum_rows(kTogether, weights_.data(), features, values, scores.data());
    Lanes& alphas = alphas_[static_cast<std::size_t>(text)];
    bool moved = false;
    for (std::size_t c = 0; c < kTogether; ++c) {
      if (!open_[c]) continue;
      const float y = static_cast<Index>(c) == own ? 1.0f : -1.0f;
      const float gradient = y * scores[c] - 1.0f + kDiagonal * alphas[c];
      const float to = std::max(0.0f, alphas[c] - gradient / diagonal);
      if (to == alphas[c]) continue;
      largest[c] = std::max(largest[c], std::abs(gradient));
      steps[c] = y * (to - alphas[c]);
      alphas[c] = to;
      moved = true;
    }
    if (moved) kernel::add_to_rows(kTogether, steps.data(), features, values, weights_.data());
  }

  const LabelledFeatures& texts_;
  Index first_, classes_;
  std::vector<float> weights_;  // (features, 16)
  std::vector<Lanes> alphas_;   // of each text
  std::array<bool, kTogether> open_{};
};

}  // namespace

bool learn_svm(const LabelledFeatures& texts, const Tensor& weights, int workers, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::atomic<Index> next = 0;
  std::atomic<bool> late = false;
  Workers team(workers);
  team.run([&](int) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(texts.count()));
    for (Index first = kTogether * next++; first < weights.columns(); first = kTogether * next++) {
      Descent descent(texts, weights.rows(), first, std::min(kTogether, weights.columns() - first));
      // The same order for all classes, so that it does not matter which are learned together.
      std::iota(order.begin(), order.end(), 0);
      Random random(1);
      for (int passes = 0; passes < kMostPasses; ++passes) {
        if (Clock::now() > end) late = true;
        if (late) return;
        shuffle(order, random);
        if (descent.pass(order)) break;
      }
      descent.put(weights);
    }
  });
  return !late;
}

}  // namespace heed
