#include "heed/train/optimizer.h"

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

constexpr double kSmallestDecay = 1e-100;  // of all steps since AdamW::settle()

void expect_not_negative(const char* optimizer, const char* name, float value) {
  if (!(value >= 0.0f && std::isfinite(value))) {
    fail<UsageError>(optimizer, "expected {} of at least 0, got {}", name, value);
  }
}

std::size_t flat_bytes(const Parameters& parameters) {
  return static_cast<std::size_t>(parameters.flat_size()) * sizeof(float);
}

// Calls body(parameter, first number, count) for what part `part` has of each touched dense
// parameter: the flat buffer is cut into equal pieces.
template <typename Body>
void for_each_dense_piece(const Parameters& parameters, const Gradients& gradients, int part,
                          int parts, Body body) {
  const Index begin = parameters.flat_size() * part / parts;
  const Index end = parameters.flat_size() * (part + 1) / parts;
  for (const Parameter& parameter : parameters) {
    if (parameter.rule.sparse || !gradients.touched(parameter)) continue;
    const Index first = std::max(begin, parameter.offset) - parameter.offset;
    const Index last = std::min(end - parameter.offset, parameter.value.count());
    if (first < last) body(parameter, first, last - first);
  }
}

// Calls body(id, row of gradients) for what part `part` has of a sparse parameter's touched rows.
template <typename Body>
void for_each_row(const SparseRows& rows, int part, int parts, Body body) {
  const auto count = static_cast<Index>(rows.ids().size());
  for (Index place = count * part / parts; place < count * (part + 1) / parts; ++place) {
    body(static_cast<Index>(rows.ids()[static_cast<std::size_t>(place)]), rows.row(place));
  }
}

std::span<std::byte> buffer_bytes(const Buffer& buffer) { return {buffer.data(), buffer.bytes()}; }

template <typename T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

AdamW::AdamW(Parameters& parameters, const AdamWOptions& options)
    : parameters_(parameters), options_(options) {
  const auto share = [](float beta) { return beta >= 0.0f && beta < 1.0f; };
  if (!share(options.beta1) || !share(options.beta2)) {
    fail<UsageError>("AdamW", "expected betas of at least 0 and below 1, got {} and {}",
                     options.beta1, options.beta2);
  }
  expect_not_negative("AdamW", "epsilon", options.epsilon);
  expect_not_negative("AdamW", "decay", options.decay);
  expect_not_negative("AdamW", "table_rate", options.table_rate);
  Index size = 0;
  for (const Parameter& parameter : parameters) {
    const bool shares = shares_moment(parameter);
    SparseState& state = sparse_.emplace_back();
    moments_.push_back(size);
    if (parameter.rule.frozen) continue;
    if (parameter.rule.sparse) {
      const auto rows = static_cast<std::size_t>(parameter.value.rows());
      if (!shares) state.seen.assign(rows, 0);
      if (decays(parameter)) state.decay.assign(rows, 1.0);
    }
    if (shares) continue;
    size += static_cast<Index>(
        round_up(static_cast<std::size_t>(parameter.value.count()), kAlignment / sizeof(float)));
  }
  mean_ = Buffer(static_cast<std::size_t>(size) * sizeof(float));
  square_ = Buffer(static_cast<std::size_t>(size) * sizeof(float));
}

void AdamW::begin(const Step& step, const Gradients& gradients) {
  // Products of many steps' decay would underflow, and rows would be scaled by 0 / 0.
  if (std::abs(decay_) < kSmallestDecay || std::abs(decay_) > 1.0 / kSmallestDecay) settle();
  step_ = step;
  decay_before_ = decay_;
  decay_ *= 1.0 - static_cast<double>(step.rate) * options_.decay;
  ++steps_;
  for (const Parameter& parameter : parameters_) {
    if (!shares_moment(parameter) || !gradients.touched(parameter)) continue;
    const SparseRows& rows = gradients.sparse(parameter);
    if (rows.ids().empty()) continue;
    const auto scale = static_cast<double>(step.gradient_scale);
    const double mean = scale * scale * rows.sum_of_squares() /
                        static_cast<double>(rows.columns() * static_cast<Index>(rows.ids().size()));
    SparseState& state = sparse_[static_cast<std::size_t>(parameter.number)];
    const auto keep = static_cast<double>(options_.beta2);
    state.square = keep * state.square + (1.0 - keep) * mean;
    ++state.updates;
  }
}

void AdamW::update(const Gradients& gradients, int part, int parts) {
  const auto power = [this](float beta) {
    return static_cast<float>(1.0 -
                              std::pow(static_cast<double>(beta), static_cast<double>(steps_)));
  };
  kernel::AdamWStep step{.rate = step_.rate,
                         .beta1 = options_.beta1,
                         .beta2 = options_.beta2,
                         .epsilon = options_.epsilon,
                         .decay = 0.0f,
                         .correction1 = power(options_.beta1),
                         .correction2 = power(options_.beta2),
                         .gradient_scale = step_.gradient_scale};
  for_each_dense_piece(
      parameters_, gradients, part, parts,
      [&](const Parameter& parameter, Index first, Index count) {
        const Index at = moments_[static_cast<std::size_t>(parameter.number)] + first;
        step.decay = parameter.rule.decay ? options_.decay : 0.0f;
        kernel::adamw(count, step, gradients.flat() + parameter.offset + first,
                      parameter.value.data + first, mean_.floats() + at, square_.floats() + at);
      });
  for (const Parameter& parameter : parameters_) {
    if (!parameter.rule.sparse || !gradients.touched(parameter)) continue;
    step.decay = parameter.rule.decay ? options_.decay : 0.0f;
    const SparseRows& rows = gradients.sparse(parameter);
    if (shares_moment(parameter)) {
      update_table(parameter, rows, part, parts, step);
    } else {
      update_rows(parameter, rows, part, parts, step);
    }
  }
}

// Brings a row's decay up to date, this step's not included, and notes that this step's was paid.
void AdamW::pay_decay(SparseState& state, std::size_t row, float* weights, Index width,
                      float decay) {
  if (decay == 0.0f) return;
  if (state.decay[row] != decay_before_) {
    kernel::scale(width, static_cast<float>(decay_before_ / state.decay[row]), weights, weights,
                  kernel::Store::kOverwrite);
  }
  state.decay[row] = decay_;
}

void AdamW::update_rows(const Parameter& parameter, const SparseRows& rows, int part, int parts,
                        const kernel::AdamWStep& step) {
  SparseState& state = sparse_[static_cast<std::size_t>(parameter.number)];
  const Index width = parameter.value.columns();
  const Index first = moments_[static_cast<std::size_t>(parameter.number)];
  for_each_row(rows, part, parts, [&](Index id, const float* gradient) {
    const auto row = static_cast<std::size_t>(id);
    float* weights = parameter.value.row(id);
    float* mean = mean_.floats() + first + id * width;
    float* square = square_.floats() + first + id * width;
    const Index missed = steps_ - 1 - state.seen[row];
    if (missed > 0) {
      const auto fade = [&](float* values, float beta) {
        const double factor = std::pow(static_cast<double>(beta), static_cast<double>(missed));
        kernel::scale(width, static_cast<float>(factor), values, values, kernel::Store::kOverwrite);
      };
      fade(mean, options_.beta1);
      fade(square, options_.beta2);
    }
    pay_decay(state, row, weights, width, step.decay);
    kernel::adamw(width, step, gradient, weights, mean, square);
    state.seen[row] = steps_;
  });
}

// w ← (1 − rate · decay) w − table_rate · rate · g / √square
void AdamW::update_table(const Parameter& parameter, const SparseRows& rows, int part, int parts,
                         const kernel::AdamWStep& step) {
  SparseState& state = sparse_[static_cast<std::size_t>(parameter.number)];
  const Index width = parameter.value.columns();
  const double unbiased = state.square / (1.0 - std::pow(static_cast<double>(options_.beta2),
                                                         static_cast<double>(state.updates)));
  const double pace = static_cast<double>(options_.table_rate) * static_cast<double>(step.rate) *
                      static_cast<double>(step.gradient_scale) /
                      (std::sqrt(unbiased) + static_cast<double>(step.epsilon));
  for_each_row(rows, part, parts, [&](Index id, const float* gradient) {
    float* weights = parameter.value.row(id);
    pay_decay(state, static_cast<std::size_t>(id), weights, width, step.decay);
    kernel::scale(width, 1.0f - step.rate * step.decay, weights, weights,
                  kernel::Store::kOverwrite);
    kernel::scale(width, static_cast<float>(-pace), gradient, weights, kernel::Store::kAdd);
  });
}

void AdamW::settle() {
  for (const Parameter& parameter : parameters_) {
    if (!parameter.rule.sparse || parameter.rule.frozen || !decays(parameter)) continue;
    std::vector<double>& paid = sparse_[static_cast<std::size_t>(parameter.number)].decay;
    for (Index row = 0; row < parameter.value.rows(); ++row) {
      double& factor = paid[static_cast<std::size_t>(row)];
      if (factor != decay_) {
        float* weights = parameter.value.row(row);
        kernel::scale(parameter.value.columns(), static_cast<float>(decay_ / factor), weights,
                      weights, kernel::Store::kOverwrite);
      }
      factor = 1.0;
    }
  }
  decay_ = 1.0;
}

std::vector<Optimizer::State> AdamW::state() {
  std::vector<State> all = {{"mean", buffer_bytes(mean_)},
                            {"square", buffer_bytes(square_)},
                            {"steps", bytes_of(steps_)},
                            {"decay", bytes_of(decay_)}};
  for (const Parameter& parameter : parameters_) {
    if (!parameter.rule.sparse || parameter.rule.frozen) continue;
    SparseState& sparse = sparse_[static_cast<std::size_t>(parameter.number)];
    if (decays(parameter)) {
      all.push_back({parameter.name + ".decay", std::as_writable_bytes(std::span(sparse.decay))});
    }
    if (shares_moment(parameter)) {
      all.push_back({parameter.name + ".square", bytes_of(sparse.square)});
      all.push_back({parameter.name + ".updates", bytes_of(sparse.updates)});
    } else {
      all.push_back({parameter.name + ".seen", std::as_writable_bytes(std::span(sparse.seen))});
    }
  }
  return all;
}

Sgd::Sgd(Parameters& parameters, const SgdOptions& options)
    : parameters_(parameters), options_(options), velocity_(flat_bytes(parameters)) {
  expect_not_negative("SGD", "momentum", options.momentum);
  expect_not_negative("SGD", "decay", options.decay);
}

void Sgd::update(const Gradients& gradients, int part, int parts) {
  kernel::SgdStep step{.rate = step_.rate,
                       .momentum = options_.momentum,
                       .decay = 0.0f,
                       .nesterov = options_.nesterov,
                       .gradient_scale = step_.gradient_scale};
  const auto move = [&](const Parameter& parameter, const float* gradient, Index first,
                        Index count) {
    step.decay = parameter.rule.decay ? options_.decay : 0.0f;
    kernel::sgd(count, step, gradient, parameter.value.data + first,
                velocity_.floats() + parameter.offset + first);
  };
  for_each_dense_piece(parameters_, gradients, part, parts,
                       [&](const Parameter& parameter, Index first, Index count) {
                         move(parameter, gradients.flat() + parameter.offset + first, first, count);
                       });
  for (const Parameter& parameter : parameters_) {
    if (!parameter.rule.sparse || !gradients.touched(parameter)) continue;
    const Index width = parameter.value.columns();
    for_each_row(gradients.sparse(parameter), part, parts, [&](Index id, const float* gradient) {
      move(parameter, gradient, id * width, width);
    });
  }
}

std::vector<Optimizer::State> Sgd::state() { return {{"velocity", buffer_bytes(velocity_)}}; }

}  // namespace heed
