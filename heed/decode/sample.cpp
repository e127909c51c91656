#include "heed/decode/sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/decode/candidates.h"
#include "heed/kernel/rows.h"

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

struct Weighted {
  std::int32_t token;
  float weight;
};

double sum_of(std::span<const Weighted> tokens) {
  double sum = 0.0;
  for (const Weighted& one : tokens) sum += static_cast<double>(one.weight);
  return sum;
}

// Leaves the nucleus: the fewest tokens that have the part `top_p` of all weight, at least one. To
// sort all tokens for that would take several times as long as a small network.
void keep_nucleus(double top_p, std::vector<Weighted>& tokens) {
  const double sum = sum_of(tokens), asked = top_p * sum;
  if (!std::isfinite(sum)) return;  // NaN has no order
  // All that are so light have less than what may be left out.
  const double light = 0.99 * (1.0 - top_p) * sum / static_cast<double>(tokens.size());
  std::erase_if(tokens,
                [&](const Weighted& one) { return static_cast<double>(one.weight) < light; });
  // Those before `begin` are in it, those from `end` on are not, and weigh no more than the others.
  auto begin = tokens.begin(), end = tokens.end();
  double before = 0.0;
  while (end - begin > 1) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end,
                     [](const Weighted& a, const Weighted& b) { return a.weight > b.weight; });
    const double heavier = sum_of({begin, middle});
    if (before + heavier >= asked) {
      end = middle;
    } else {
      before += heavier;
      begin = middle;
    }
  }
  tokens.erase(end, tokens.end());
}

// Draws a token of a row of logits.
class Drawing {
 public:
  explicit Drawing(const SampleOptions& options) : options_(options) {}

  // `uniform` is in [0, 1).
  TokenScore operator()(std::span<const float> logits, float uniform) {
    best_tokens(logits, options_.search.never, std::max<Index>(options_.top_k, 1), best_);
    const TokenScore likeliest = best_.front();
    if (options_.temperature == 0.0f) return likeliest;
    weigh(logits);
    if (options_.top_p < 1.0f) keep_nucleus(static_cast<double>(options_.top_p), tokens_);
    double left = static_cast<double>(uniform) * sum_of(tokens_);
    for (const Weighted& one : tokens_) {
      left -= static_cast<double>(one.weight);
      if (!(left < 0.0)) continue;
      const float behind = at(logits, likeliest.token) - at(logits, one.token);
      return {one.token, likeliest.log_probability - behind};
    }
    return likeliest;  // rounding has left none, or something is not a number
  }

 private:
  static float at(std::span<const float> logits, std::int32_t token) {
    return logits[static_cast<std::size_t>(token)];
  }

  // exp((logit − that of the likeliest) / temperature) of the tokens that may be drawn.
  void weigh(std::span<const float> logits) {
    const float inverse = 1.0f / options_.temperature;
    const TokenScore likeliest = best_.front();
    tokens_.clear();
    if (options_.top_k > 0) {
      for (const TokenScore& one : best_) {
        const float behind = likeliest.log_probability - one.log_probability;
        tokens_.push_back({one.token, std::exp(-inverse * behind)});
      }
      return;
    }
    const Index count = std::ssize(logits);
    weights_.resize(logits.size());
    kernel::scale(count, inverse, logits.data(), weights_.data(), kernel::Store::kOverwrite);
    kernel::exp_row(count, weights_.data(), -inverse * at(logits, likeliest.token), 1.0f,
                    weights_.data(), kernel::Store::kOverwrite);
    for (std::int32_t token = 0; token < count; ++token) {
      if (token != options_.search.never) tokens_.push_back({token, at(weights_, token)});
    }
  }

  const SampleOptions& options_;
  std::vector<TokenScore> best_;
  std::vector<float> weights_;
  std::vector<Weighted> tokens_;
};

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
  Drawing drawing(options);
  std::vector<Index> kept, staying;
  std::vector<std::int32_t> last;
  const auto take_row = [&](Index row, std::span<const float> logits) {
    const Index number = open[static_cast<std::size_t>(row)];
    const Index longest = search.longest[static_cast<std::size_t>(number)];
    Hypothesis& written = results[static_cast<std::size_t>(number)].front();
    const auto position = static_cast<std::uint64_t>(written.tokens.size());
    if (std::ssize(written.tokens) >= longest) return;
    const std::uint64_t stream = options.streams.empty()
                                     ? static_cast<std::uint64_t>(number)
                                     : options.streams[static_cast<std::size_t>(number)];
    Random random(mix(mix(options.seed, stream), position));
    const TokenScore chosen = drawing(logits, random.uniform());
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
