#include "heed/decode/beam.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/error.h"
#include "heed/decode/candidates.h"

namespace heed::decode {
namespace {

// A sequence that is being searched for.
struct Open {
  Index number = 0;                  // among those asked for
  std::vector<Hypothesis> followed;  // one row of the batch each, in its order
  std::vector<Hypothesis> finished;
  std::size_t told = 0;  // tokens that are certain
};

struct Continuation {
  std::size_t hypothesis = 0;
  std::int32_t token = 0;
  float log_probability = 0.0f;
};

bool better_continuation(const Continuation& a, const Continuation& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  if (a.hypothesis != b.hypothesis) return a.hypothesis < b.hypothesis;
  return a.token < b.token;
}

class BeamSearch {
 public:
  BeamSearch(Steps& steps, const BeamOptions& options)
      : steps_(steps), options_(options), results_(options.search.longest.size()) {}

  Hypotheses run() {
    const auto take = [this](Index, const Tensor& logits) { choose(logits); };
    read_beginnings(steps_, options_.search, take);
    for (std::size_t i = 0; i < results_.size(); ++i) {
      open_.push_back({static_cast<Index>(i), {Hypothesis{}}, {}, 0});
    }
    while (!open_.empty()) {
      advance();
      if (!open_.empty()) read_tokens(steps_, last_, take);
    }
    return std::move(results_);
  }

 private:
  const SearchOptions& search() const { return options_.search; }
  Index longest(const Open& open) const {
    return search().longest[static_cast<std::size_t>(open.number)];
  }

  // The best tokens of each row, twice as many as hypotheses are followed: each of them has one
  // end, so enough stay open.
  void choose(const Tensor& logits) {
    for (Index row = 0; row < logits.rows(); ++row) {
      best_tokens({logits.row(row), static_cast<std::size_t>(logits.columns())}, search().never,
                  2 * options_.beam, tokens_);
      candidates_.insert(candidates_.end(), tokens_.begin(), tokens_.end());
      of_each_row_ = std::ssize(tokens_);
    }
  }

  // One token more for every open sequence. Those that are done leave.
  void advance() {
    std::vector<Index> kept;
    last_.clear();
    std::vector<Open> staying;
    Index row = 0;
    for (Open& open : open_) {
      if (longest(open) < 1) {  // nothing may be written
        results_[static_cast<std::size_t>(open.number)] = std::move(open.followed);
        ++row;
        continue;
      }
      const std::vector<Continuation> ranked = rank(open, row);
      const std::vector<Index> origins = follow(open, ranked);
      const bool done = finish(open);
      if (!done) {
        if (options_.written) tell_certain(open);
        for (std::size_t i = 0; i < origins.size(); ++i) {
          kept.push_back(row + origins[i]);
          last_.push_back(open.followed[i].tokens.back());
        }
      }
      row += rows_;
      if (!done) staying.push_back(std::move(open));
    }
    open_ = std::move(staying);
    candidates_.clear();
    if (!open_.empty()) steps_.keep(kept);
  }

  // The best continuations of a sequence whose hypotheses begin at this row.
  std::vector<Continuation> rank(const Open& open, Index row) {
    rows_ = std::ssize(open.followed);
    std::vector<Continuation> ranked;
    for (Index i = 0; i < rows_; ++i) {
      const auto h = static_cast<std::size_t>(i);
      const auto first = static_cast<std::size_t>((row + i) * of_each_row_);
      for (std::size_t c = first; c < first + static_cast<std::size_t>(of_each_row_); ++c) {
        const TokenScore& token = candidates_[c];
        ranked.push_back(
            {h, token.token, open.followed[h].log_probability + token.log_probability});
      }
    }
    const auto count = std::min(ranked.size(), static_cast<std::size_t>(2 * options_.beam));
    std::partial_sort(ranked.begin(), ranked.begin() + static_cast<Index>(count), ranked.end(),
                      better_continuation);
    ranked.resize(count);
    return ranked;
  }

  // Takes the continuations that stay open, and says of which hypothesis each is.
  std::vector<Index> follow(Open& open, const std::vector<Continuation>& ranked) {
    std::vector<Hypothesis> next;
    std::vector<Index> origins;
    for (std::size_t place = 0; place < ranked.size(); ++place) {
      if (std::ssize(next) == options_.beam) break;
      const Continuation& one = ranked[place];
      Hypothesis hypothesis = open.followed[one.hypothesis];
      hypothesis.log_probability = one.log_probability;
      if (one.token == search().end) {
        if (static_cast<Index>(place) < options_.beam) {
          hypothesis.ended = true;
          close(open, std::move(hypothesis));
        }
        continue;
      }
      hypothesis.tokens.push_back(one.token);
      next.push_back(std::move(hypothesis));
      origins.push_back(static_cast<Index>(one.hypothesis));
    }
    open.followed = std::move(next);
    return origins;
  }

  float score(float log_probability, std::size_t length) const {
    return log_probability / std::pow(static_cast<float>(length), options_.length_penalty);
  }

  // Of those that are finished the best `beam` are kept, the best one first.
  void close(Open& open, Hypothesis hypothesis) const {
    hypothesis.score = score(hypothesis.log_probability,
                             std::max<std::size_t>(1, hypothesis.tokens.size() + hypothesis.ended));
    const auto place =
        std::upper_bound(open.finished.begin(), open.finished.end(), hypothesis.score,
                         [](float value, const Hypothesis& other) { return value > other.score; });
    open.finished.insert(place, std::move(hypothesis));
    if (std::ssize(open.finished) > options_.beam) open.finished.pop_back();
  }

  // A model that gives every token some probability ends a few hypotheses much too early. They may
  // not end the search while a better one is open.
  bool enough(const Open& open) const {
    if (std::ssize(open.finished) < options_.beam) return false;
    const Hypothesis& first = open.followed[0];
    return open.finished.back().score >= score(first.log_probability, first.tokens.size());
  }

  // Whether all hypotheses go on alike where those before it were told.
  bool agreed(const Open& open) const {
    const std::vector<std::int32_t>& first = open.followed.front().tokens;
    const auto alike = [&](const Hypothesis& other) {
      return other.tokens.size() > open.told && other.tokens[open.told] == first[open.told];
    };
    return first.size() > open.told &&
           std::all_of(open.followed.begin(), open.followed.end(), alike) &&
           std::all_of(open.finished.begin(), open.finished.end(), alike);
  }

  void tell_certain(Open& open) const {
    while (agreed(open)) options_.written(open.number, open.followed.front().tokens[open.told++]);
  }

  void tell_rest(const Open& open) const {
    const std::vector<std::int32_t>& best = open.finished.front().tokens;
    for (std::size_t i = open.told; i < best.size(); ++i) options_.written(open.number, best[i]);
  }

  // Whether a sequence is done; then its result is put away.
  bool finish(Open& open) {
    if (!open.followed.empty() && !enough(open)) {
      if (std::ssize(open.followed[0].tokens) < longest(open)) return false;
      for (Hypothesis& hypothesis : open.followed) close(open, std::move(hypothesis));
    }
    if (options_.written && !open.finished.empty()) tell_rest(open);
    if (std::ssize(open.finished) > options_.best) {
      open.finished.resize(static_cast<std::size_t>(options_.best));
    }
    results_[static_cast<std::size_t>(open.number)] = std::move(open.finished);
    return true;
  }

  Steps& steps_;
  const BeamOptions& options_;
  Hypotheses results_;
  std::vector<Open> open_;
  std::vector<std::int32_t> last_;      // of every row that stays
  std::vector<TokenScore> tokens_;      // scratch
  std::vector<TokenScore> candidates_;  // of all rows, so many of each:
  Index of_each_row_ = 0;
  Index rows_ = 0;  // of the sequence at hand
};

}  // namespace

Hypotheses beam_search(Steps& steps, const BeamOptions& options) {
  if (options.beam < 1 || options.best < 1) {
    fail<UsageError>("beam search",
                     "expected a beam and a number of results of at least 1, got {} and {}",
                     options.beam, options.best);
  }
  if (options.search.longest.empty()) return {};
  return BeamSearch(steps, options).run();
}

}  // namespace heed::decode
