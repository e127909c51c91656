#include "heed/grad/ctc.h"

#include <algorithm>

#include "heed/grad/check.h"
#include "heed/grad/log_space.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Store;

void check(const Sequences& logits, const Labels& labels, const CtcOptions& options) {
  expect_rows("ctc", logits);
  const Layout& layout = logits.layout;
  if (layout.count() == 0) fail<ShapeError>("ctc", "expected at least one sequence, got none");
  if (static_cast<Index>(labels.lengths.size()) != layout.count()) {
    fail<ShapeError>("ctc", "expected labels for {} sequences, got {}", layout.count(),
                     labels.lengths.size());
  }
  Index total = 0;
  for (const Index length : labels.lengths) {
    if (length < 0) fail<ShapeError>("ctc", "expected lengths of at least 0, got {}", length);
    total += length;
  }
  if (total != static_cast<Index>(labels.ids.size())) {
    fail<ShapeError>("ctc", "expected {} labels, as their lengths say, got {}", total,
                     labels.ids.size());
  }
  if (options.blank < 0 || options.blank >= logits.width()) {
    fail<ShapeError>("ctc", "expected a blank from 0 to {}, got {}", logits.width() - 1,
                     options.blank);
  }
  expect_ids("ctc", labels.ids, logits.width());
  const auto blank = std::find(labels.ids.begin(), labels.ids.end(), options.blank);
  if (blank != labels.ids.end()) {
    fail<ShapeError>("ctc", "expected labels other than the blank {}, got it at place {}",
                     options.blank, blank - labels.ids.begin());
  }
}

Index rows_needed(std::span<const std::int32_t> labels) {
  auto rows = static_cast<Index>(labels.size());
  for (std::size_t i = 1; i < labels.size(); ++i) rows += labels[i] == labels[i - 1] ? 1 : 0;
  return rows;
}

// What a path goes through: blank, label, blank, label, …, blank. From a place it stays, goes one
// on, or goes two on, past a blank that need not be there between two different labels.
struct Path {
  std::span<const std::int32_t> labels;
  std::int32_t blank;

  Index places() const { return 2 * static_cast<Index>(labels.size()) + 1; }
  std::int32_t at(Index place) const {
    return place % 2 == 0 ? blank : labels[static_cast<std::size_t>(place / 2)];
  }
  bool may_skip_to(Index place) const {
    return place >= 2 && place % 2 == 1 && at(place) != at(place - 2);
  }
};

// One sequence: its rows of logits, and log Σ e^logit of each in two parts, as kernel::log_sum
// gives them.
struct Rows {
  const float* logits;
  const kernel::LogSum* sums;
  Index count, classes;

  double log_probability(Index row, std::int32_t c) const {
    const double above = static_cast<double>(logits[row * classes + c]) - sums[row].largest;
    return above - std::log(static_cast<double>(sums[row].sum));
  }
};

// alpha (rows, places) = log Σ over the beginnings of paths that are at a place in a row, that row
// included. Returns log p(labels).
double forward(const Path& path, const Rows& rows, double* alpha) {
  const Index places = path.places();
  for (Index row = 0; row < rows.count; ++row) {
    double* to = alpha + row * places;
    const double* from = row == 0 ? nullptr : to - places;
    for (Index place = 0; place < places; ++place) {
      double sum = place < 2 ? 0.0 : kLogZero;
      if (from != nullptr) {
        sum = from[place];
        if (place >= 1) sum = log_add(sum, from[place - 1]);
        if (path.may_skip_to(place)) sum = log_add(sum, from[place - 2]);
      }
      to[place] = sum + rows.log_probability(row, path.at(place));
    }
  }
  if (rows.count == 0) return 0.0;
  const double* last = alpha + (rows.count - 1) * places;
  return places == 1 ? last[0] : log_add(last[places - 1], last[places - 2]);
}

// beta (places) of `row` from that of the row after it: log Σ over the ends of paths, this row
// excluded.
void step_back(const Path& path, const Rows& rows, Index row, const double* after, double* beta) {
  const Index places = path.places();
  for (Index place = 0; place < places; ++place) {
    if (row == rows.count - 1) {
      beta[place] = place >= places - 2 ? 0.0 : kLogZero;
      continue;
    }
    const auto through = [&](Index next) {
      return after[next] + rows.log_probability(row + 1, path.at(next));
    };
    double sum = through(place);
    if (place + 1 < places) sum = log_add(sum, through(place + 1));
    if (place + 2 < places && path.may_skip_to(place + 2)) sum = log_add(sum, through(place + 2));
    beta[place] = sum;
  }
}

}  // namespace

// With y = softmax(x), α_t and β_t over the places of the path, and q_t[c] the probability that the
// path is at class c in row t:
//   L = −Σ_sequences log p / divisor,  p = Σ_places e^(α_t + β_t), whatever t
//   q_t[c] = Σ_{places of c} e^(α_t + β_t) / p      dx_t[c] = (y_t[c] − q_t[c]) / divisor
Var ctc(Context& context, const Sequences& logits, const Labels& labels,
        const CtcOptions& options) {
  check(logits, labels, options);
  const Layout layout = logits.layout;
  const Index classes = logits.width();
  Arena& arena = context.arena();
  const auto ids = arena.copy(labels.ids);
  struct Sequence {
    Path path;
    double* alpha;  // (rows, places); null for an impossible one
    double log_p;
  };
  const auto sequences = arena.array<Sequence>(layout.count());
  kernel::LogSum* sums = arena.array<kernel::LogSum>(layout.rows()).data();
  for (Index row = 0; row < layout.rows(); ++row) {
    sums[row] = kernel::log_sum(classes, logits.rows.value.row(row));
  }
  const auto rows_of = [=, x = logits.rows.value](Index s) -> Rows {
    return {x.row(layout.begin(s)), sums + layout.begin(s), layout.length(s), classes};
  };
  double sum = 0.0;
  std::size_t begin = 0;
  for (Index s = 0; s < layout.count(); ++s) {
    Sequence& sequence = sequences[static_cast<std::size_t>(s)];
    const auto length = static_cast<std::size_t>(labels.lengths[static_cast<std::size_t>(s)]);
    sequence = {{ids.subspan(begin, length), options.blank}, nullptr, 0.0};
    begin += length;
    const Index needed = rows_needed(sequence.path.labels);
    if (needed > layout.length(s)) {
      if (options.impossible == Impossible::kZero) continue;
      fail<ShapeError>("ctc", "expected at least {} rows for the {} labels of sequence {}, got {}",
                       needed, length, layout.first() + s, layout.length(s));
    }
    sequence.alpha = arena.array<double>(layout.length(s) * sequence.path.places()).data();
    sequence.log_p = forward(sequence.path, rows_of(s), sequence.alpha);
    sum -= sequence.log_p;
  }
  const double inverse =
      1.0 / (options.divisor > 0.0f ? options.divisor : static_cast<double>(layout.count()));
  const Tensor loss = arena.tensor({1});
  loss[0] = static_cast<float>(sum * inverse);

  return context.tape().record(
      "ctc", loss, {logits.rows}, [=, x = logits.rows](Tape& tape, const Tensor& dl) {
        const Slot dx = tape.slot(x);
        const auto outer = static_cast<float>(dl[0] * inverse);
        for (Index s = 0; s < layout.count(); ++s) {
          const Sequence& sequence = sequences[static_cast<std::size_t>(s)];
          const Path& path = sequence.path;
          const Rows rows = rows_of(s);
          float* to = dx.data + layout.begin(s) * classes;
          if (sequence.alpha == nullptr) {
            if (dx.store == Store::kOverwrite) std::fill_n(to, rows.count * classes, 0.0f);
            continue;
          }
          const Arena::Scope scope(tape.scratch());
          double* beta = tape.scratch().array<double>(path.places()).data();
          double* after = tape.scratch().array<double>(path.places()).data();
          for (Index row = rows.count - 1; row >= 0; --row) {
            std::swap(beta, after);
            step_back(path, rows, row, after, beta);
            float* out = to + row * classes;
            kernel::exp_row(classes, rows.logits + row * classes, -rows.sums[row].largest,
                            outer / rows.sums[row].sum, out, dx.store);
            const double* alpha = sequence.alpha + row * path.places();
            for (Index place = 0; place < path.places(); ++place) {
              const double q = std::exp(alpha[place] + beta[place] - sequence.log_p);
              out[path.at(place)] -= outer * static_cast<float>(q);
            }
          }
        }
      });
}

}  // namespace heed::grad
