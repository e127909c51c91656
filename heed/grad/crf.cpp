#include "heed/grad/crf.h"

#include <algorithm>

#include "heed/grad/check.h"
#include "heed/grad/log_space.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Store;

void check(const Sequences& emissions, const CrfParameters& parameters) {
  expect_rows("crf", emissions);
  const Index tags = emissions.width();
  if (tags < 1) fail<ShapeError>("crf", "expected at least one tag, got none");
  expect_shape("crf", "transitions", parameters.transitions, {tags, tags});
  expect_shape("crf", "start", parameters.start, {tags});
  expect_shape("crf", "end", parameters.end, {tags});
}

// Steps along the chain. A step is a product with e^transitions, which is computed once, and so
// costs tags exponentials and not tags²; where that would underflow (scores some 600 apart, such as
// forbidden transitions) it is done term by term.
class Chain {
 public:
  Chain(Arena& arena, const Tensor& transitions)
      : tags_(transitions.rows()), transitions_(transitions.data) {
    largest_ = *std::max_element(transitions_, transitions_ + tags_ * tags_);
    powers_ = arena.array<double>(tags_ * tags_).data();
    for (Index i = 0; i < tags_ * tags_; ++i) powers_[i] = std::exp(transitions_[i] - largest_);
  }

  // to_j = log Σ_i e^(from_i + transition_ij).  `powers` is room for (tags).
  void forward(const double* from, double* to, double* powers) const {
    const double shift = raise(from, powers);
    std::fill_n(to, tags_, 0.0);
    for (Index i = 0; i < tags_; ++i) {
      for (Index j = 0; j < tags_; ++j) to[j] += powers[i] * powers_[i * tags_ + j];
    }
    for (Index j = 0; j < tags_; ++j) {
      if (to[j] > kSmallest) {
        to[j] = shift + largest_ + std::log(to[j]);
        continue;
      }
      to[j] = kLogZero;
      for (Index i = 0; i < tags_; ++i) to[j] = log_add(to[j], from[i] + transition(i, j));
    }
  }

  // to_i = log Σ_j e^(transition_ij + from_j)
  void backward(const double* from, double* to, double* powers) const {
    const double shift = raise(from, powers);
    for (Index i = 0; i < tags_; ++i) {
      double sum = 0.0;
      for (Index j = 0; j < tags_; ++j) sum += powers_[i * tags_ + j] * powers[j];
      if (sum > kSmallest) {
        to[i] = shift + largest_ + std::log(sum);
        continue;
      }
      to[i] = kLogZero;
      for (Index j = 0; j < tags_; ++j) to[i] = log_add(to[i], transition(i, j) + from[j]);
    }
  }

  // pairs_ij += e^(before_i + transition_ij + after_j − log_z), the probability of a pair of tags.
  // `powers` is room for (2 · tags).
  void add_pairs(const double* before, const double* after, double log_z, double* powers,
                 double* pairs) const {
    double* right = powers + tags_;
    const double shift = raise(before, powers) + raise(after, right) + largest_ - log_z;
    const bool safe = shift < kSafeShift;
    const double factor = safe ? std::exp(shift) : 0.0;
    for (Index i = 0; i < tags_; ++i) {
      const double left = powers[i] * factor;
      for (Index j = 0; j < tags_; ++j) {
        pairs[i * tags_ + j] += safe ? left * powers_[i * tags_ + j] * right[j]
                                     : std::exp(before[i] + transition(i, j) + after[j] - log_z);
      }
    }
  }

  Index tags() const { return tags_; }
  double transition(Index from, Index to) const { return transitions_[from * tags_ + to]; }

 private:
  // A sum above this has lost nothing that matters to numbers too small for a double.
  static constexpr double kSmallest = 1e-250;
  // Terms that underflow are then below e^(600 − 708).
  static constexpr double kSafeShift = 600.0;

  // powers = e^(x − the largest of x), which is returned.
  double raise(const double* x, double* powers) const {
    const double largest = *std::max_element(x, x + tags_);
    for (Index i = 0; i < tags_; ++i) powers[i] = std::exp(x[i] - largest);
    return largest;
  }

  Index tags_;
  const float* transitions_;
  double largest_;
  double* powers_;  // (tags, tags): e^(transitions − largest_)
};

double log_sum(const double* x, const float* y, Index count) {
  double sum = kLogZero;
  for (Index i = 0; i < count; ++i) sum = log_add(sum, x[i] + y[i]);
  return sum;
}

void add_to(float* to, const double* from, Index count, double scale) {
  for (Index i = 0; i < count; ++i) to[i] += static_cast<float>(scale * from[i]);
}

}  // namespace

// α_t[j] = log Σ e^(scores of all beginnings that end with tag j in row t), β_t[i] the same of what
// follows row t; log Z = log Σ_j e^(α_n[j] + end_j).
//   L = Σ_sequences (log Z − score(targets)) / divisor
//   p_t[i] = e^(α_t[i] + β_t[i] − log Z)      p_t[i, j] = e^(α_{t−1}[i] + T_ij + e_t[j] + β_t[j] −
//   log Z) de_t = p_t − [y_t]     dstart = p_1 − [y_1]     dend = p_n − [y_n]     dT = Σ_t p_t[i,
//   j] − [y_{t−1}, y_t]
// each divided by the divisor.
Var crf(Context& context, const Sequences& emissions, const CrfParameters& parameters,
        std::span<const std::int32_t> targets, const LossOptions& options) {
  check(emissions, parameters);
  expect_not_empty("crf", emissions.layout);
  const Layout layout = emissions.layout;
  const Index rows = layout.rows(), tags = emissions.width();
  if (static_cast<Index>(targets.size()) != rows) {
    fail<ShapeError>("crf", "expected {} targets, got {}", rows, targets.size());
  }
  expect_ids("crf", targets, tags);
  if (options.smoothing != 0.0f || !options.class_weights.empty()) {
    fail<UsageError>("crf", "expected neither smoothing nor class weights");
  }
  Arena& arena = context.arena();
  const auto kept = arena.copy(targets);
  const Var e = emissions.rows, start = parameters.start, end = parameters.end;
  const Chain chain(arena, parameters.transitions.value);
  double* alpha = arena.array<double>(rows * tags).data();     // (rows, tags)
  double* log_z = arena.array<double>(layout.count()).data();  // (sequences)
  double loss_sum = 0.0;
  {
    const Arena::Scope scope(context.tape().scratch());
    double* powers = context.tape().scratch().array<double>(tags).data();
    for (Index s = 0; s < layout.count(); ++s) {
      double score = 0.0;
      for (Index row = layout.begin(s); row < layout.end(s); ++row) {
        const bool first = row == layout.begin(s);
        double* to = alpha + row * tags;
        if (!first) chain.forward(to - tags, to, powers);
        for (Index j = 0; j < tags; ++j) {
          to[j] = (first ? start.value[j] : to[j]) + static_cast<double>(e.value[row * tags + j]);
        }
        const std::int32_t tag = kept[static_cast<std::size_t>(row)];
        score += e.value[row * tags + tag];
        score += first ? start.value[tag]
                       : chain.transition(kept[static_cast<std::size_t>(row) - 1], tag);
      }
      const Index last = layout.end(s) - 1;
      score += end.value[kept[static_cast<std::size_t>(last)]];
      log_z[s] = log_sum(alpha + last * tags, end.value.data, tags);
      loss_sum += log_z[s] - score;
    }
  }
  const double inverse =
      1.0 / (options.divisor > 0.0f ? options.divisor : static_cast<double>(layout.count()));
  const Tensor loss = arena.tensor({1});
  loss[0] = static_cast<float>(loss_sum * inverse);

  return context.tape().record(
      "crf", loss, {e, parameters.transitions, start, end},
      [=, transitions = parameters.transitions](Tape& tape, const Tensor& dl) {
        const Slot de = tape.slot(e);
        float* dtransitions = tape.slot(transitions).adding(tags * tags);
        float* dstart = tape.slot(start).adding(tags);
        float* dend = tape.slot(end).adding(tags);
        const double outer = dl[0] * inverse;

        const Arena::Scope scope(tape.scratch());
        const auto array = [&](Index count) {
          const auto numbers = tape.scratch().array<double>(count);
          std::fill(numbers.begin(), numbers.end(), 0.0);
          return numbers.data();
        };
        double* beta = array(tags);
        double* after = array(tags);  // e_t + β_t
        double* p = array(tags);
        double* powers = array(2 * tags);
        double* pairs = array(tags * tags);
        for (Index s = 0; s < layout.count(); ++s) {
          for (Index row = layout.end(s) - 1; row >= layout.begin(s); --row) {
            const bool first = row == layout.begin(s), last = row == layout.end(s) - 1;
            const double* a = alpha + row * tags;
            const std::int32_t tag = kept[static_cast<std::size_t>(row)];
            if (last) {
              std::copy_n(end.value.data, tags, beta);
            } else {
              chain.backward(after, beta, powers);
            }
            for (Index j = 0; j < tags; ++j) {
              p[j] = std::exp(a[j] + beta[j] - log_z[s]) - (j == tag ? 1.0 : 0.0);
              after[j] = static_cast<double>(e.value[row * tags + j]) + beta[j];
              if (!de) continue;
              float& to = de.data[row * tags + j];
              to = static_cast<float>(outer * p[j]) + (de.store == Store::kAdd ? to : 0.0f);
            }
            if (first && dstart != nullptr) add_to(dstart, p, tags, outer);
            if (last && dend != nullptr) add_to(dend, p, tags, outer);
            if (first || dtransitions == nullptr) continue;
            chain.add_pairs(a - tags, after, log_z[s], powers, pairs);
            pairs[kept[static_cast<std::size_t>(row) - 1] * tags + tag] -= 1.0;
          }
        }
        if (dtransitions != nullptr) add_to(dtransitions, pairs, tags * tags, outer);
      });
}

// p_t[i] = e^(α_t[i] + β_t[i] − log Z), as above.
Tensor crf_marginals(Context& context, const Sequences& emissions,
                     const CrfParameters& parameters) {
  check(emissions, parameters);
  const Layout& layout = emissions.layout;
  const Index tags = emissions.width();
  const Tensor& e = emissions.rows.value;
  const Tensor result = context.arena().tensor({layout.rows(), tags});
  const Arena::Scope scope(context.tape().scratch());
  Arena& scratch = context.tape().scratch();
  const Chain chain(scratch, parameters.transitions.value);
  double* alpha = scratch.array<double>(layout.rows() * tags).data();
  double* powers = scratch.array<double>(tags).data();
  double* beta = scratch.array<double>(tags).data();
  double* after = scratch.array<double>(tags).data();  // e_t + β_t
  for (Index s = 0; s < layout.count(); ++s) {
    if (layout.length(s) == 0) continue;
    for (Index row = layout.begin(s); row < layout.end(s); ++row) {
      const bool first = row == layout.begin(s);
      double* to = alpha + row * tags;
      if (!first) chain.forward(to - tags, to, powers);
      for (Index j = 0; j < tags; ++j) {
        to[j] =
            (first ? parameters.start.value[j] : to[j]) + static_cast<double>(e[row * tags + j]);
      }
    }
    const Index last = layout.end(s) - 1;
    const double log_z = log_sum(alpha + last * tags, parameters.end.value.data, tags);
    for (Index row = last; row >= layout.begin(s); --row) {
      if (row == last) {
        std::copy_n(parameters.end.value.data, tags, beta);
      } else {
        chain.backward(after, beta, powers);
      }
      for (Index j = 0; j < tags; ++j) {
        result[row * tags + j] =
            static_cast<float>(std::exp(alpha[row * tags + j] + beta[j] - log_z));
        after[j] = static_cast<double>(e[row * tags + j]) + beta[j];
      }
    }
  }
  return result;
}

std::vector<std::int32_t> viterbi(const Sequences& emissions, const CrfParameters& parameters) {
  check(emissions, parameters);
  const Layout& layout = emissions.layout;
  const Index tags = emissions.width();
  const float* transitions = parameters.transitions.value.data;
  const auto size = static_cast<std::size_t>(tags);
  std::vector<std::int32_t> result(static_cast<std::size_t>(layout.rows()));
  std::vector<std::int32_t> came_from(result.size() * size);  // (rows, tags)
  std::vector<double> best(size), next(size);
  for (Index s = 0; s < layout.count(); ++s) {
    if (layout.length(s) == 0) continue;
    for (Index row = layout.begin(s); row < layout.end(s); ++row) {
      for (Index j = 0; j < tags; ++j) {
        double top = parameters.start.value[j];
        if (row > layout.begin(s)) {
          std::int32_t from = 0;
          top = best[0] + transitions[j];
          for (Index i = 1; i < tags; ++i) {
            const double score = best[static_cast<std::size_t>(i)] + transitions[i * tags + j];
            if (score > top) {
              top = score;
              from = static_cast<std::int32_t>(i);
            }
          }
          came_from[static_cast<std::size_t>(row * tags + j)] = from;
        }
        next[static_cast<std::size_t>(j)] = top + emissions.rows.value[row * tags + j];
      }
      best.swap(next);
    }
    for (Index j = 0; j < tags; ++j) best[static_cast<std::size_t>(j)] += parameters.end.value[j];
    auto tag = static_cast<std::int32_t>(std::max_element(best.begin(), best.end()) - best.begin());
    for (Index row = layout.end(s) - 1; row >= layout.begin(s); --row) {
      result[static_cast<std::size_t>(row)] = tag;
      tag = came_from[static_cast<std::size_t>(row * tags + tag)];
    }
  }
  return result;
}

}  // namespace heed::grad
