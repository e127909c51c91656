#include "heed/eval/paired.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed {
namespace {

using Weights = std::vector<double>;  // of runs

// How often each of so many runs is drawn, as a share.
Weights draw_runs(Random& random, std::size_t runs) {
  Weights weights(runs, 0.0);
  for (std::size_t i = 0; i < runs; ++i) {
    weights[random.below(static_cast<std::uint32_t>(runs))] += 1.0 / static_cast<double>(runs);
  }
  return weights;
}

Weights all_runs(std::size_t runs) { return Weights(runs, 1.0 / static_cast<double>(runs)); }

double right_of(const Outcomes& outcomes, const Weights& weights, std::size_t example) {
  double right = 0.0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    right += weights[s] * static_cast<double>(outcomes.right[s][example]);
  }
  return right;
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] + part * (sorted[above] - sorted[below]);
}

Interval interval_of(std::vector<double>& values, double value, double confidence) {
  Interval interval{value, value, confidence};
  if (values.empty()) return interval;
  std::sort(values.begin(), values.end());
  interval.low = std::min(value, quantile(values, 0.5 - 0.5 * confidence));
  interval.high = std::max(value, quantile(values, 0.5 + 0.5 * confidence));
  return interval;
}

// The difference on test sets that are drawn again; with `second` null, the share of the first.
class Resampler {
 public:
  Resampler(const Outcomes& first, const Outcomes* second, const std::vector<Index>& answers)
      : first_(first), second_(second), answers_(answers) {}

  double value() const {
    std::vector<std::uint32_t> all(answers_.size());
    std::iota(all.begin(), all.end(), 0u);
    return on(all, all_runs(first_.right.size()), all_runs(second_runs()));
  }

  std::vector<double> resample(const BootstrapOptions& options) const {
    Random random(mix(options.seed, 0x9A12ED));
    std::vector<double> values;
    std::vector<std::uint32_t> drawn(answers_.size());
    for (int i = 0; i < options.resamples && !answers_.empty(); ++i) {
      for (std::uint32_t& example : drawn) {
        example = random.below(static_cast<std::uint32_t>(answers_.size()));
      }
      const Weights ours = draw_runs(random, first_.right.size());
      values.push_back(on(drawn, ours, draw_runs(random, second_runs())));
    }
    return values;
  }

 private:
  std::size_t second_runs() const { return second_ == nullptr ? 0 : second_->right.size(); }

  double on(const std::vector<std::uint32_t>& examples, const Weights& ours,
            const Weights& theirs) const {
    double right = 0.0;
    Index all = 0;
    for (const std::uint32_t example : examples) {
      right += right_of(first_, ours, example);
      if (second_ != nullptr) right -= right_of(*second_, theirs, example);
      all += answers_[example];
    }
    return all == 0 ? 0.0 : right / static_cast<double>(all);
  }

  const Outcomes& first_;
  const Outcomes* second_;
  const std::vector<Index>& answers_;
};

// By how many of the differences on drawn test sets the two are told apart.
PairedDifference difference_of(double value, std::vector<double> values, double confidence) {
  PairedDifference result;
  result.value = value;
  const auto below = std::count_if(values.begin(), values.end(), [](double d) { return d <= 0; });
  const auto above = std::count_if(values.begin(), values.end(), [](double d) { return d >= 0; });
  // The test set itself is one of those that could have been drawn.
  const double fewer = 1.0 + static_cast<double>(std::min(below, above));
  result.p = std::min(1.0, 2.0 * fewer / (1.0 + static_cast<double>(values.size())));
  result.interval = interval_of(values, value, confidence);
  return result;
}

}  // namespace

Measure right_share(const Outcomes& outcomes, const std::vector<Index>& answers,
                    const BootstrapOptions& options) {
  const Resampler resampler(outcomes, nullptr, answers);
  const double value = resampler.value();
  std::vector<double> values = resampler.resample(options);
  const Interval interval = interval_of(values, value, options.confidence);
  return {value, answers.empty() ? interval : where_all_agree(interval, std::ssize(answers))};
}

PairedDifference paired_difference(const Outcomes& first, const Outcomes& second,
                                   const std::vector<Index>& answers,
                                   const BootstrapOptions& options) {
  const Resampler resampler(first, &second, answers);
  return difference_of(resampler.value(), resampler.resample(options), options.confidence);
}

PairedDifference paired_difference(const std::vector<std::vector<double>>& first,
                                   const std::vector<std::vector<double>>& second,
                                   const ScoreOfSums& score, const BootstrapOptions& options) {
  if (first.empty() || first.size() != second.size()) {
    fail<ShapeError>("paired_difference", "expected as many examples of both, got {} and {}",
                     first.size(), second.size());
  }
  std::vector<double> ours(first.front().size()), theirs(ours.size());
  const auto clear = [&] {
    std::fill(ours.begin(), ours.end(), 0.0);
    std::fill(theirs.begin(), theirs.end(), 0.0);
  };
  const auto add = [&](std::size_t example) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ours[i] += first[example][i];
      theirs[i] += second[example][i];
    }
  };
  clear();
  for (std::size_t example = 0; example < first.size(); ++example) add(example);
  const double value = score(ours) - score(theirs);
  Random random(mix(options.seed, 0x5C0E5));
  std::vector<double> values;
  for (int i = 0; i < options.resamples; ++i) {
    clear();
    for (std::size_t n = 0; n < first.size(); ++n) {
      add(random.below(static_cast<std::uint32_t>(first.size())));
    }
    values.push_back(score(ours) - score(theirs));
  }
  return difference_of(value, std::move(values), options.confidence);
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size());
  double largest = 0.0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double tests = static_cast<double>(p.size() - rank);
    largest = std::max(largest, std::min(1.0, tests * p[order[rank]]));
    corrected[order[rank]] = largest;
  }
  return corrected;
}

}  // namespace heed
