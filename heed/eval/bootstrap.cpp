#include "heed/eval/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "heed/base/random.h"

namespace heed {
namespace {

// Random in the form the standard distributions ask for.
class Bits {
 public:
  using result_type = std::uint32_t;
  explicit Bits(std::uint64_t key) : random_(key) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
  result_type operator()() { return random_.next(); }

 private:
  Random random_;
};

// Draws Σ counts examples from kinds in the proportions of counts: a multinomial, as one binomial
// for each kind out of what the kinds before it left.
void draw(std::span<const Index> counts, Index total, Bits& bits, std::span<Index> drawn) {
  Index to_draw = total;      // examples still to be drawn
  Index of_the_rest = total;  // examples of this kind and those after it
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if (to_draw == 0 || counts[kind] == 0) {
      drawn[kind] = 0;
    } else if (counts[kind] == of_the_rest) {
      drawn[kind] = to_draw;
    } else {
      const double share = static_cast<double>(counts[kind]) / static_cast<double>(of_the_rest);
      drawn[kind] = std::binomial_distribution<Index>(to_draw, share)(bits);
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

}  // namespace

std::vector<Measure> bootstrap(std::span<const Index> counts, std::size_t measures,
                               const ScoresOfKinds& scores, const BootstrapOptions& options) {
  const Index total = std::accumulate(counts.begin(), counts.end(), Index{0});
  if (total == 0) fail<UsageError>("bootstrap", "expected at least one example, got none");
  if (options.resamples < 1 || !(options.confidence > 0.0 && options.confidence < 1.0)) {
    fail<UsageError>("bootstrap",
                     "expected at least one resample and 0 < confidence < 1, got {} and {}",
                     options.resamples, options.confidence);
  }
  const auto resamples = static_cast<std::size_t>(options.resamples);
  std::vector<double> found(measures);
  scores(counts, found);
  std::vector<Measure> result(measures);
  for (std::size_t m = 0; m < measures; ++m) result[m].value = found[m];

  Bits bits(mix(options.seed));
  std::vector<Index> drawn(counts.size());
  std::vector<std::vector<double>> spread(measures, std::vector<double>(resamples));
  for (std::size_t sample = 0; sample < resamples; ++sample) {
    draw(counts, total, bits, drawn);
    scores(drawn, found);
    for (std::size_t m = 0; m < measures; ++m) spread[m][sample] = found[m];
  }
  const double tail = 0.5 * (1.0 - options.confidence);
  for (std::size_t m = 0; m < measures; ++m) {
    std::sort(spread[m].begin(), spread[m].end());
    result[m].interval = {std::min(result[m].value, quantile(spread[m], tail)),
                          std::max(result[m].value, quantile(spread[m], 1.0 - tail))};
  }
  return result;
}

}  // namespace heed
