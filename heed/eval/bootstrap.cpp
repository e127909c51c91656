#include "heed/eval/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "heed/base/random.h"

namespace heed {
namespace {

double uniform(Random& random) { return (static_cast<double>(random.next()) + 0.5) * 0x1p-32; }

// log k!, by Stirling's series where it is good to ten digits.
double log_factorial(double k) {
  double x = k + 1.0, below = 0.0;
  for (; x < 10.0; x += 1.0) below += std::log(x);
  const double squared = x * x;
  const double tail = (1.0 / 12 - (1.0 / 360 - 1.0 / (1260 * squared)) / squared) / x;
  return (x - 0.5) * std::log(x) - x + 0.5 * std::log(2.0 * std::numbers::pi) + tail - below;
}

// By inversion: walks up the distribution, about trials · share steps.
Index few_successes(Random& random, Index trials, double share) {
  const double odds = share / (1.0 - share);
  double chance = std::exp(static_cast<double>(trials) * std::log1p(-share));
  double left = uniform(random);
  Index successes = 0;
  while (left > chance && successes < trials) {
    left -= chance;
    chance *= odds * static_cast<double>(trials - successes) / static_cast<double>(successes + 1);
    ++successes;
  }
  return successes;
}

// Hörmann's BTRS (The generation of binomial random variates, 1993): a transformed uniform number
// lands under the distribution at once about four times in five, else it is tested exactly.
Index many_successes(Random& random, Index trials, double share) {
  const auto n = static_cast<double>(trials);
  const double deviation = std::sqrt(n * share * (1.0 - share));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * share;
  const double log_odds = std::log(share / (1.0 - share));
  const double mode = std::floor((n + 1.0) * share);
  for (;;) {
    const double u = uniform(random) - 0.5;
    const double v = uniform(random);
    const double edge = 0.5 - std::abs(u);
    const double k = std::floor((2.0 * a / edge + b) * u + n * share + 0.5);
    if (k < 0.0 || k > n) continue;
    if (edge >= 0.07 && v <= 0.92 - 4.2 / b) return static_cast<Index>(k);
    const double height = v * (2.83 + 5.1 / b) * deviation / (a / (edge * edge) + b);
    const double log_chance = log_factorial(mode) + log_factorial(n - mode) - log_factorial(k) -
                              log_factorial(n - k) + (k - mode) * log_odds;
    if (std::log(height) <= log_chance) return static_cast<Index>(k);
  }
}

// How many of so many trials succeed. std::binomial_distribution does it too, but took 1 µs a draw
// where this takes 0.2, and another library's draws would be others.
Index binomial(Random& random, Index trials, double share) {
  if (share > 0.5) return trials - binomial(random, trials, 1.0 - share);
  return static_cast<double>(trials) * share < 10.0 ? few_successes(random, trials, share)
                                                    : many_successes(random, trials, share);
}

// Draws Σ counts examples from kinds in the proportions of counts: a multinomial, as one binomial
// for each kind out of what the kinds before it left.
void draw(std::span<const Index> counts, Index total, Random& random, std::span<Index> drawn) {
  Index to_draw = total;      // examples still to be drawn
  Index of_the_rest = total;  // examples of this kind and those after it
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (to_draw == 0 || counts[kind] == 0) {
      drawn[kind] = 0;
    } else if (counts[kind] == of_the_rest) {
      drawn[kind] = to_draw;
    } else {
      const double share = static_cast<double>(counts[kind]) / static_cast<double>(of_the_rest);
      drawn[kind] = binomial(random, to_draw, share);
    }
    to_draw -= drawn[kind];
    of_the_rest -= counts[kind];
  }
}

// Of sorted values, between neighbours on a line.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

// The number of standard deviations within which so much of a normal distribution lies.
double deviations(double confidence) {
  double low = 0.0, high = 40.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (std::erf(middle / std::numbers::sqrt2) < confidence ? low : high) = middle;
  }
  return low;
}

}  // namespace

Interval wilson(Index right, Index examples, double confidence) {
  const double z = deviations(confidence);
  const auto n = static_cast<double>(examples);
  const double share = static_cast<double>(right) / n, squared = z * z;
  const double middle = (share + squared / (2.0 * n)) / (1.0 + squared / n);
  const double half =
      z / (1.0 + squared / n) * std::sqrt(share * (1.0 - share) / n + squared / (4.0 * n * n));
  return {right == 0 ? 0.0 : std::max(0.0, middle - half),
          right == examples ? 1.0 : std::min(1.0, middle + half), confidence};
}

Interval where_all_agree(Interval interval, Index examples) {
  if (interval.low < interval.high) return interval;
  if (interval.low == 1.0) interval.low = wilson(examples, examples, interval.confidence).low;
  if (interval.high == 0.0) interval.high = wilson(0, examples, interval.confidence).high;
  return interval;
}

std::vector<Measure> bootstrap(std::span<const Index> counts, std::size_t measures,
                               const ScoresOfKinds& scores, const BootstrapOptions& options) {
  const Index total = std::accumulate(counts.begin(), counts.end(), Index{0});
  if (total == 0) fail<UsageError>("bootstrap", "expected at least one example, got none");
  if (options.resamples < 0 || !(options.confidence > 0.0 && options.confidence < 1.0)) {
    fail<UsageError>("bootstrap",
                     "expected 0 or more resamples and 0 < confidence < 1, got {} and {}",
                     options.resamples, options.confidence);
  }
  const auto resamples = static_cast<std::size_t>(options.resamples);
  std::vector<double> found(measures);
  scores(counts, found);
  std::vector<Measure> result(measures);
  for (std::size_t m = 0; m < measures; ++m) {
    result[m] = {found[m], {found[m], found[m], options.confidence}};
  }
  if (resamples == 0) return result;

  Random random(mix(options.seed));
  std::vector<Index> drawn(counts.size());
  std::vector<std::vector<double>> spread(measures, std::vector<double>(resamples));
  for (std::size_t sample = 0; sample < resamples; ++sample) {
    draw(counts, total, random, drawn);
    scores(drawn, found);
    for (std::size_t m = 0; m < measures; ++m) spread[m][sample] = found[m];
  }
  const double tail = 0.5 * (1.0 - options.confidence);
  for (std::size_t m = 0; m < measures; ++m) {
    std::sort(spread[m].begin(), spread[m].end());
    const Interval interval{std::min(result[m].value, quantile(spread[m], tail)),
                            std::max(result[m].value, quantile(spread[m], 1.0 - tail)),
                            options.confidence};
    result[m].interval = where_all_agree(interval, total);
  }
  return result;
}

}  // namespace heed
