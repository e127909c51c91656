#include "heed/decode/sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/decode/candidates.h"

namespace heed::decode {
namespace {

void check(const SampleOptions& options) {
  const bool temperature = options.temperature >= 0.0f && std::isfinite(options.temperature);
  if (temperature && options.top_k >= 0 && options.top_p > 0.0f && options.top_p <= 1.0f) return;
  fail<UsageError>("sample",
                   "expected a temperature of at least 0, top-k of at least 0 and top-p above 0 up "
                   "to 1, got {}, {} and {}",
                   options.temperature, options.top_k, options.top_p);
}

// One of the tokens, drawn by probability. `best` is in order of it, and has more than one.
std::size_t draw(const std::vector<TokenScore>& best, const SampleOptions& options, float uniform) {
  std::vector<double> weights;
  double sum = 0.0;
  for (const TokenScore& one : best) {
    const double weight = std::exp((one.log_probability - best.front().log_probability) /
                                   static_cast<double>(options.temperature));
    weights.push_back(weight);
    sum += weight;
  }
  // The nucleus: as many as are needed for top_p, at least one.
  std::size_t count = 0;
  double nucleus = 0.0;
  while (count < weights.size() && (count == 0 || nucleus < options.top_p * sum)) {
    nucleus += weights[count++];
  }
  double left = static_cast<double>(uniform) * nucleus;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    left -= weights[i];
    if (left < 0.0) return i;
  }
  return count - 1;
}

}  // namespace

Hypotheses sample(Steps& steps, const SampleOptions& options) {
  check(options);
  const SearchOptions& search = options.search;
  if (!options.streams.empty() && options.streams.size() != search.longest.size()) {
    fail<UsageError>("sample", "expected a stream for each of {} sequences, got {}",
                     search.longest.size(), options.streams.size());
  }
  Hypotheses results(search.longest.size());
  if (results.empty()) return results;
  std::vector<Index> open;  // the numbers of the rows of a batch
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].emplace_back();
    open.push_back(static_cast<Index>(i));
  }
  std::vector<TokenScore> best;
  std::vector<Index> kept, staying;
  std::vector<std::int32_t> last;
  const auto take_row = [&](Index row, std::span<const float> logits) {
    const Index number = open[static_cast<std::size_t>(row)];
    const Index longest = search.longest[static_cast<std::size_t>(number)];
    Hypothesis& written = results[static_cast<std::size_t>(number)].front();
    const auto position = static_cast<std::uint64_t>(written.tokens.size());
    if (std::ssize(written.tokens) >= longest) return;
    const bool greedy = options.temperature == 0.0f;
    const Index most = greedy ? 1 : options.top_k > 0 ? options.top_k : std::ssize(logits);
    best_tokens(logits, search.never, most, best);
    const std::uint64_t stream = options.streams.empty()
                                     ? static_cast<std::uint64_t>(number)
                                     : options.streams[static_cast<std::size_t>(number)];
    Random random(mix(mix(options.seed, stream), position));
    const TokenScore chosen = best[best.size() == 1 ? 0 : draw(best, options, random.uniform())];
    written.log_probability += chosen.log_probability;
    written.ended = chosen.token == search.end;
    if (written.ended) return;
    written.tokens.push_back(chosen.token);
    if (options.written) options.written(number, chosen.token);
    if (std::ssize(written.tokens) >= longest) return;
    kept.push_back(row);
    staying.push_back(number);
    last.push_back(chosen.token);
  };
  const auto take = [&](Index first, const Tensor& logits) {
    for (Index i = 0; i < logits.rows(); ++i) {
      take_row(first + i, {logits.row(i), static_cast<std::size_t>(logits.columns())});
    }
  };
  read_beginnings(steps, search, take);
  while (!staying.empty()) {
    steps.keep(kept);
    open = std::exchange(staying, {});
    kept.clear();
    read_tokens(steps, std::exchange(last, {}), take);
  }
  for (std::vector<Hypothesis>& one : results) one.front().score = one.front().log_probability;
  return results;
}

}  // namespace heed::decode
