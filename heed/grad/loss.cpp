#include "heed/grad/loss.h"

#include <algorithm>
#include <cmath>

#include "heed/grad/check.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Store;

void check_options(const char* operation, const LossOptions& options, Index rows, Index classes) {
  if (!options.class_weights.empty() &&
      static_cast<Index>(options.class_weights.size()) != classes) {
    fail<ShapeError>(operation, "expected {} class weights, got {}", classes,
                     options.class_weights.size());
  }
  for (const float weight : options.class_weights) {
    if (!(weight >= 0.0f && std::isfinite(weight))) {
      fail<UsageError>(operation, "expected class weights of at least 0, got {}", weight);
    }
  }
  if (!options.row_weights.empty() && static_cast<Index>(options.row_weights.size()) != rows) {
    fail<ShapeError>(operation, "expected {} row weights, got {}", rows,
                     options.row_weights.size());
  }
  if (!(options.divisor >= 0.0f && std::isfinite(options.divisor))) {
    fail<UsageError>(operation, "expected a divisor of at least 0, got {}", options.divisor);
  }
  if (!(options.smoothing >= 0.0f && options.smoothing < 1.0f)) {
    fail<UsageError>(operation, "expected smoothing of at least 0 and below 1, got {}",
                     options.smoothing);
  }
}

void log_softmax(Index classes, const float* x, float* y) {
  const kernel::LogSum z = kernel::log_sum(classes, x);
  const float log_sum = std::log(z.sum);
  for (Index c = 0; c < classes; ++c) y[c] = x[c] - z.largest - log_sum;
}

}  // namespace

// With p = softmax(x), ε the smoothing, C classes, class weights w and row weights r:
//   L = Σ_rows r ((1 − ε) w_t (log Z − x_t) + ε/C Σ_c w_c (log Z − x_c)) / divisor
//   dx_c = r (T p_c − (1 − ε) w_t [c = t] − ε/C w_c) / divisor,  T = (1 − ε) w_t + ε/C Σ w
Var cross_entropy(Context& context, const Var& logits, std::span<const std::int32_t> targets,
                  const LossOptions& options) {
  expect_matrix("cross_entropy", "logits", logits);
  const Index rows = logits.rows(), classes = logits.columns();
  if (static_cast<Index>(targets.size()) != rows) {
    fail<ShapeError>("cross_entropy", "expected {} targets, got {}", rows, targets.size());
  }
  if (rows == 0) fail<ShapeError>("cross_entropy", "expected at least one row, got none");
  check_options("cross_entropy", options, rows, classes);
  for (Index row = 0; row < rows; ++row) {
    const std::int32_t target = targets[static_cast<std::size_t>(row)];
    if (target != kIgnored && (target < 0 || target >= classes)) {
      fail<ShapeError>("cross_entropy", "expected targets from 0 to {}, got {} in row {}",
                       classes - 1, target, row);
    }
  }
  const auto kept = context.arena().copy(targets);
  const auto weights = context.arena().copy(options.class_weights);
  const auto weight = [weights](Index c) {
    return weights.empty() ? 1.0f : weights[static_cast<std::size_t>(c)];
  };
  const auto row_weights = context.arena().copy(options.row_weights);
  const auto row_weight = [row_weights](Index row) {
    return row_weights.empty() ? 1.0f : row_weights[static_cast<std::size_t>(row)];
  };
  float all_weights = 0.0f;
  for (Index c = 0; c < classes; ++c) all_weights += weight(c);
  const float each = options.smoothing / static_cast<float>(classes);  // ε/C
  const float main = 1.0f - options.smoothing;

  // log Σ e^x = largest + log sum, kept apart: together they would be rounded where logits are
  // large.
  const auto sums = context.arena().array<kernel::LogSum>(rows);
  double sum = 0.0, total = 0.0;
  for (Index row = 0; row < rows; ++row) {
    const std::int32_t target = kept[static_cast<std::size_t>(row)];
    if (target == kIgnored) continue;
    const float* x = logits.value.row(row);
    const kernel::LogSum z = kernel::log_sum(classes, x);
    sums[static_cast<std::size_t>(row)] = z;
    const float log_sum = std::log(z.sum);
    const auto minus_log = [&](Index c) { return log_sum - (x[c] - z.largest); };
    sum += row_weight(row) * main * weight(target) * minus_log(target);
    total += row_weight(row) * weight(target);
    if (each > 0.0f) {
      for (Index c = 0; c < classes; ++c) sum += row_weight(row) * each * weight(c) * minus_log(c);
    }
  }
  const double divisor = options.divisor > 0.0f ? options.divisor : total;
  const float inverse = divisor > 0.0 ? static_cast<float>(1.0 / divisor) : 0.0f;
  const Tensor loss = context.arena().tensor({1});
  loss[0] = static_cast<float>(sum * inverse);

  return context.tape().record("cross_entropy", loss, {logits}, [=](Tape& tape, const Tensor& dl) {
    const Slot dx = tape.slot(logits);
    for (Index row = 0; row < rows; ++row) {
      const float outer = dl[0] * inverse * row_weight(row);
      float* to = dx.data + row * classes;
      const std::int32_t target = kept[static_cast<std::size_t>(row)];
      if (target == kIgnored) {
        if (dx.store == Store::kOverwrite) std::fill_n(to, classes, 0.0f);
        continue;
      }
      const float whole = main * weight(target) + each * all_weights;
      const kernel::LogSum z = sums[static_cast<std::size_t>(row)];
      kernel::exp_row(classes, logits.value.row(row), -z.largest, outer * whole / z.sum, to,
                      dx.store);
      to[target] -= outer * main * weight(target);
      if (each > 0.0f) {
        for (Index c = 0; c < classes; ++c) to[c] -= outer * each * weight(c);
      }
    }
  });
}

// L = Σ w (max(x, 0) − x t + log(1 + e^−|x|)) / divisor.   dx = w (σ(x) − t) / divisor
Var binary_cross_entropy(Context& context, const Var& logits, std::span<const float> targets,
                         const LossOptions& options) {
  expect_matrix("binary_cross_entropy", "logits", logits);
  const Index count = logits.value.count(), columns = logits.columns();
  if (static_cast<Index>(targets.size()) != count || count == 0) {
    fail<ShapeError>("binary_cross_entropy", "expected {} targets (at least one), got {}", count,
                     targets.size());
  }
  check_options("binary_cross_entropy", options, logits.rows(), columns);
  const auto kept = context.arena().copy(targets);
  const auto weights = context.arena().copy(options.class_weights);
  const auto weight = [weights, columns](Index i) {
    return weights.empty() ? 1.0
                           : static_cast<double>(weights[static_cast<std::size_t>(i % columns)]);
  };
  double sum = 0.0;
  for (Index i = 0; i < count; ++i) {
    const double x = logits.value[i], t = kept[static_cast<std::size_t>(i)];
    if (!(t >= 0.0 && t <= 1.0)) {
      fail<ShapeError>("binary_cross_entropy", "expected targets from 0 to 1, got {} at place {}",
                       t, i);
    }
    sum += weight(i) * (std::max(x, 0.0) - x * t + std::log1p(std::exp(-std::abs(x))));
  }
  const double divisor = options.divisor > 0.0f ? options.divisor : static_cast<double>(count);
  const Tensor loss = context.arena().tensor({1});
  loss[0] = static_cast<float>(sum / divisor);
  return context.tape().record(
      "binary_cross_entropy", loss, {logits}, [=](Tape& tape, const Tensor& dl) {
        const Slot dx = tape.slot(logits);
        for (Index i = 0; i < count; ++i) {
          const double sigmoid = 1.0 / (1.0 + std::exp(-static_cast<double>(logits.value[i])));
          const auto value = static_cast<float>(
              dl[0] * weight(i) * (sigmoid - kept[static_cast<std::size_t>(i)]) / divisor);
          dx.data[i] = dx.store == Store::kAdd ? dx.data[i] + value : value;
        }
      });
}

// With d = log p − log q: L = Σ ½ (p − q) d / divisor, and KL(p, q) = Σ_c p d.
//   da_c = ½ (p (d − KL(p, q)) + p − q) / divisor,  db_c = ½ (q (−d − KL(q, p)) + q − p) / divisor
Var divergence(Context& context, const Var& a, const Var& b, float divisor) {
  expect_matrix("divergence", "a", a);
  expect_shape("divergence", "b", b, a.shape());
  const Index rows = a.rows(), classes = a.columns();
  const Tensor log_p = context.arena().tensor(a.shape()), log_q = context.arena().tensor(a.shape());
  double sum = 0.0;
  for (Index row = 0; row < rows; ++row) {
    float* p = log_p.row(row);
    float* q = log_q.row(row);
    log_softmax(classes, a.value.row(row), p);
    log_softmax(classes, b.value.row(row), q);
    for (Index c = 0; c < classes; ++c) {
      sum += 0.5 * (std::exp(p[c]) - std::exp(q[c])) * (p[c] - q[c]);
    }
  }
  const Tensor loss = context.arena().tensor({1});
  loss[0] = static_cast<float>(sum / divisor);
  return context.tape().record("divergence", loss, {a, b}, [=](Tape& tape, const Tensor& dl) {
    const float outer = 0.5f * dl[0] / divisor;
    const auto send = [&](const Var& to, const Tensor& own, const Tensor& other) {
      const Slot slot = tape.slot(to);
      for (Index row = 0; row < rows; ++row) {
        const float* p = own.row(row);
        const float* q = other.row(row);
        float apart = 0.0f;
        for (Index c = 0; c < classes; ++c) apart += std::exp(p[c]) * (p[c] - q[c]);
        float* d = slot.data + row * classes;
        for (Index c = 0; c < classes; ++c) {
          const float here = std::exp(p[c]);
          const float change = outer * (here * (p[c] - q[c] - apart) + here - std::exp(q[c]));
          d[c] = slot.store == Store::kOverwrite ? change : d[c] + change;
        }
      }
    };
    send(a, log_p, log_q);
    send(b, log_q, log_p);
  });
}

}  // namespace heed::grad
