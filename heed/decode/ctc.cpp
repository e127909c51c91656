#include "heed/decode/ctc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "heed/base/error.h"
#include "heed/decode/candidates.h"

namespace heed::decode {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// log(eᵃ + eᵇ)
double log_add(double a, double b) {
  if (a == kNothing) return b;
  if (b == kNothing) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

// log p of all paths so far that give a beginning: those that end with a blank, and the others.
struct Prefix {
  double blank = kNothing, label = kNothing;
  double all() const { return log_add(blank, label); }
};
using Prefixes = std::map<std::vector<std::int32_t>, Prefix>;

std::vector<TokenScore> likely(const Tensor& logits, Index row, std::int32_t never, Index most) {
  std::vector<TokenScore> tokens;
  best_tokens({logits.row(row), static_cast<std::size_t>(logits.columns())}, never, most, tokens);
  return tokens;
}

Hypothesis best_path(const Tensor& logits, const CtcSearchOptions& options) {
  Hypothesis path;
  path.ended = true;
  std::int32_t before = options.blank;
  for (Index row = 0; row < logits.rows(); ++row) {
    const TokenScore best = likely(logits, row, options.never, 1).front();
    path.log_probability += best.log_probability;
    if (best.token != options.blank && best.token != before) path.tokens.push_back(best.token);
    before = best.token;
  }
  path.score = path.log_probability;
  return path;
}

// The beginnings after one more row, of which `classes` are looked at.
Prefixes extended(const Prefixes& before, const std::vector<TokenScore>& classes,
                  std::int32_t blank) {
  Prefixes after;
  for (const auto& [labels, paths] : before) {
    for (const TokenScore& one : classes) {
      const double p = one.log_probability;
      if (one.token == blank) {
        Prefix& same = after[labels];
        same.blank = log_add(same.blank, paths.all() + p);
        continue;
      }
      const bool repeats = !labels.empty() && labels.back() == one.token;
      if (repeats) {  // a run of one class is one label
        Prefix& same = after[labels];
        same.label = log_add(same.label, paths.label + p);
      }
      const double earlier = repeats ? paths.blank : paths.all();
      if (earlier == kNothing) continue;  // the same label again, without a blank between them
      std::vector<std::int32_t> longer = labels;
      longer.push_back(one.token);
      Prefix& next = after[longer];
      next.label = log_add(next.label, earlier + p);
    }
  }
  return after;
}

// The likeliest, equals in the order of their labels.
std::vector<Prefixes::iterator> ranked(Prefixes& prefixes, Index most) {
  std::vector<Prefixes::iterator> order;
  for (auto it = prefixes.begin(); it != prefixes.end(); ++it) order.push_back(it);
  std::stable_sort(order.begin(), order.end(),
                   [](auto a, auto b) { return a->second.all() > b->second.all(); });
  if (std::ssize(order) > most) order.resize(static_cast<std::size_t>(most));
  return order;
}

}  // namespace

std::vector<Hypothesis> ctc_search(const Tensor& logits, const CtcSearchOptions& options) {
  if (options.beam < 1 || options.best < 1) {
    fail<UsageError>("CTC search",
                     "expected a beam and a number of results of at least 1, got {} and {}",
                     options.beam, options.best);
  }
  if (options.beam == 1 && options.best == 1) return {best_path(logits, options)};
  const Index beam = std::max(options.beam, options.best);
  Prefixes prefixes;
  prefixes[{}].blank = 0.0;
  for (Index row = 0; row < logits.rows(); ++row) {
    // The blank is nearly always among the likeliest; what is far below them changes nothing.
    Prefixes next = extended(prefixes, likely(logits, row, options.never, beam + 1), options.blank);
    Prefixes kept;
    for (const auto& it : ranked(next, beam)) kept.insert(next.extract(it));
    prefixes = std::move(kept);
  }
  std::vector<Hypothesis> found;
  for (const auto& it : ranked(prefixes, options.best)) {
    const auto p = static_cast<float>(it->second.all());
    found.push_back({.tokens = it->first, .log_probability = p, .score = p, .ended = true});
  }
  return found;
}

}  // namespace heed::decode
