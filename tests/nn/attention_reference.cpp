#include "tests/nn/attention_reference.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/reference/attention.h"

namespace heed::test {
namespace {

using Matrix = SlowAttention::Matrix;

Matrix below(const Matrix& upper, const Matrix& lower) {
  Matrix y(upper.rows + lower.rows, lower.columns, upper.values);
  y.values.insert(y.values.end(), lower.values.begin(), lower.values.end());
  return y;
}

Matrix unit_rows(Matrix x) {
  for (int i = 0; i < x.rows; ++i) {
    double squares = 0.0;
    for (int d = 0; d < x.columns; ++d) squares += x(i, d) * x(i, d);
    for (int d = 0; d < x.columns; ++d) x(i, d) /= std::sqrt(squares);
  }
  return x;
}

// Su et al. 2021: the pair (x_j, x_{j + depth/2}) as a complex number, times e^(i p θ_j) with
// θ_j = 10000^(−2j / depth).
Matrix rotated(Matrix x, int first) {
  const int half = x.columns / 2;
  for (int i = 0; i < x.rows; ++i) {
    for (int j = 0; j < half; ++j) {
      const double angle = (first + i) * std::pow(10000.0, -2.0 * j / x.columns);
      const auto turned = std::complex(x(i, j), x(i, j + half)) * std::polar(1.0, angle);
      x(i, j) = turned.real();
      x(i, j + half) = turned.imag();
    }
  }
  return x;
}

// A wave that goes straight up from −1 to 1 and down again, and through 0 where sin does; in
// periods.
double triangle(double t) { return 1.0 - 4.0 * std::abs((t - 0.25) - std::round(t - 0.25)); }

}  // namespace

SlowAttention::SlowAttention(const Parameters& parameters, const nn::AttentionOptions& options)
    : parameters_(parameters),
      options_(options),
      heads_(static_cast<int>(options.heads)),
      slots_(static_cast<int>(options.memory_slots)) {}

// As (first size, product of the others); empty where the layer has none of this name.
Matrix SlowAttention::parameter(const std::string& name) const {
  const Parameter* found = parameters_.find(name);
  if (found == nullptr) return {};
  const auto numbers = found->value.span();
  return {static_cast<int>(found->value.rows()),
          static_cast<int>(found->value.columns()),
          {numbers.begin(), numbers.end()}};
}

Matrix SlowAttention::projected(const std::string& name, const Matrix& x) const {
  return reference::linear(x, parameter(name + ".weight"), parameter(name + ".bias").values);
}

// The columns of one head.
Matrix SlowAttention::head_of(const Matrix& x, int head) const {
  Matrix y(x.rows, x.columns / heads_);
  for (int i = 0; i < y.rows; ++i) {
    for (int d = 0; d < y.columns; ++d) y(i, d) = x(i, head * y.columns + d);
  }
  return y;
}

// What comes in, with the positions that are added to it.
Matrix SlowAttention::with_positions(Matrix x, int first, const std::string& table) const {
  if (!nn::added_to_input(options_.position)) return x;
  const Matrix learned = parameter(table);
  for (int i = 0; i < x.rows; ++i) {
    const int p = first + i;
    for (int c = 0; c < x.columns; ++c) {
      // Vaswani et al. 2017: sin in even columns, cos of the same angle beside it.
      const double angle = p * std::pow(10000.0, -static_cast<double>(c / 2 * 2) / x.columns);
      const double quarter = c % 2 == 0 ? 0.0 : 0.25;
      if (options_.position == nn::Position::kLearned) {
        x(i, c) += learned(p, c);
      } else if (options_.position == nn::Position::kSinusoidal) {
        x(i, c) += c % 2 == 0 ? std::sin(angle) : std::cos(angle);
      } else {
        x(i, c) += triangle(angle / (2.0 * std::numbers::pi) + quarter);
      }
    }
  }
  return x;
}

// Queries or keys of one head as scores compare them, the first of them at position `first`.
Matrix SlowAttention::placed(Matrix x, int first) const {
  if (options_.score == nn::Score::kCosine) x = unit_rows(std::move(x));
  if (options_.position == nn::Position::kRotary) x = rotated(std::move(x), first);
  return x;
}

// softmax(score / temperature + bias) over the keys that a query sees: (queries, slots + memory).
Matrix SlowAttention::weights(const Matrix& q, const Matrix& k, int head,
                              const Places& places) const {
  reference::AttentionRules rules;
  rules.slots = slots_;
  rules.first_query = places.first_query;
  rules.before = options_.mask.before.value_or(rules.before);
  rules.after = options_.mask.after.value_or(rules.after);
  if (options_.mask.causal) rules.after = 0;
  // The last window is the last head's.
  const auto windows = static_cast<int>(options_.windows.size());
  if (windows > 0) {
    const int from_last = (heads_ - 1 - head) % windows;
    const Index window = options_.windows[static_cast<std::size_t>(windows - 1 - from_last)];
    if (window > 0) {
      rules.before = std::min<std::int64_t>(rules.before, window);
      rules.after = std::min<std::int64_t>(rules.after, window);
    }
  }
  rules.not_self = options_.mask.not_self;
  if (!places.hidden.empty()) {
    rules.hidden.assign(static_cast<std::size_t>(slots_), 0);
    rules.hidden.insert(rules.hidden.end(), places.hidden.begin(), places.hidden.end());
  }
  // Press et al. 2021: a geometric sequence that begins at its own ratio, 2^(−8 / heads).
  if (options_.position == nn::Position::kAlibi) {
    rules.slope = std::pow(std::pow(2.0, -8.0 / heads_), head + 1);
  }
  rules.scale = options_.score == nn::Score::kScaledDot ? 1.0 / std::sqrt(q.columns) : 1.0;
  rules.scale /= options_.temperature.learned
                     ? std::exp(parameter("log_temperature").values[static_cast<std::size_t>(head)])
                     : static_cast<double>(options_.temperature.value);
  const auto row_of_head = [&](const std::string& name) {
    const Matrix all = parameter(name);
    const auto begin = all.values.begin() + head * all.columns;
    return std::vector<double>(begin, begin + all.columns);
  };
  std::vector<double> additive, relative;
  if (options_.score == nn::Score::kAdditive) additive = row_of_head("additive");
  if (options_.position == nn::Position::kRelative) relative = row_of_head("relative");
  if (options_.score != nn::Score::kBilinear) {
    return reference::attention_weights(rules, q, k, additive, relative);
  }
  const Matrix between(q.columns, q.columns, row_of_head("bilinear"));  // q W k
  return reference::attention_weights(rules, reference::product(q, between), k, additive, relative);
}

Matrix SlowAttention::operator()(const Matrix& queries, const Matrix& memory,
                                 const Places& places) const {
  const bool other_width = options_.memory_width != 0 && options_.memory_width != options_.width;
  const Matrix seen =
      with_positions(memory, 0, other_width ? "memory_positions.weight" : "positions.weight");
  const Matrix q = projected("q", with_positions(queries, places.first_query, "positions.weight"));
  Matrix k = projected("k", seen), v = projected("v", seen);
  if (options_.score == nn::Score::kLocation) {
    const Matrix all = parameter("location");
    k = {k.rows, k.columns, {all.values.begin(), all.values.begin() + k.rows * k.columns}};
  }
  const Matrix slot_keys = parameter("slots.keys"), slot_values = parameter("slots.values");
  const bool averages = options_.join == nn::HeadJoin::kAverage;
  Matrix joined(q.rows, averages ? v.columns / heads_ : v.columns);
  for (int h = 0; h < heads_; ++h) {
    // Slots have no position, and are keys like the others else.
    Matrix slots = head_of(slot_keys, h);
    if (options_.score == nn::Score::kCosine) slots = unit_rows(std::move(slots));
    const Matrix all_keys = below(slots, placed(head_of(k, h), 0));
    const Matrix all_values = below(head_of(slot_values, h), head_of(v, h));
    const Matrix y = reference::product(
        weights(placed(head_of(q, h), places.first_query), all_keys, h, places), all_values);
    for (int i = 0; i < y.rows; ++i) {
      for (int c = 0; c < y.columns; ++c) {
        if (averages) {
          joined(i, c) += y(i, c) / heads_;
        } else {
          joined(i, h * y.columns + c) = y(i, c);
        }
      }
    }
  }
  return projected("out", joined);
}

}  // namespace heed::test
