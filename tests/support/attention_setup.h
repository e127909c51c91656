#pragma once

#include <vector>

#include "heed/grad/attention.h"
#include "tests/reference/attention.h"
#include "tests/support/layouts.h"
#include "tests/support/operation_table.h"

namespace heed::test {

// A call of attention over a ragged batch that heed and the slow reference can both make.
struct AttentionSetup {
  enum class Parts {
    kSeparate,  // inputs queries, keys, values
    kFused,  // one input (rows, 2 · heads · depth + heads · value_depth): queries, keys, values
    kOneForAll,  // one input (rows, heads · depth) that is queries, keys and values
    kSharedKey,  // one input (rows, 2 · heads · depth) whose first half is queries and keys; values
  };

  std::vector<Index> queries, keys;  // lengths
  Index heads = 1, depth = 1, value_depth = 1;
  Parts parts = Parts::kSeparate;
  Index spare = 0;  // columns after those of a fused input that nobody uses
  float scale = 1.0f;
  kernel::AttentionMask mask{};
  grad::Align align = grad::Align::kEnd;
  std::vector<std::uint8_t> hidden{};
  std::vector<Index> windows{};
  std::vector<float> slopes{};
  Index reach = -1;  // of relative biases; −1 for none
  bool additive = false;
  float dropout = 0.0f;

  Index width() const { return heads * depth; }
  Index value_width() const { return heads * value_depth; }
  std::vector<Shape> inputs() const;

  // Spans of this setup are used by the call.
  grad::AttentionCall call(Context& context, std::span<const Var> inputs) const;
  Var run(Context& context, std::span<const Var> inputs) const {
    return grad::attention(context, call(context, inputs));
  }

  // Of one sequence in one head: (queries, keys).
  template <typename T>
  reference::Matrix<T> slow_weights(const std::vector<std::vector<T>>& x, std::size_t sequence,
                                    Index head) const;
  template <typename T>
  std::vector<T> slow(const std::vector<std::vector<T>>& x) const;

 private:
  struct Place {
    std::size_t input;
    Index begin;  // the first column
  };
  Place place_of_queries() const { return {0, 0}; }
  Place place_of_keys() const;
  Place place_of_values() const;
  std::size_t place_of_additive() const;
  std::size_t place_of_relative() const { return place_of_additive() + (additive ? 1 : 0); }

  // Rows of one sequence, columns of one head.
  template <typename T>
  reference::Matrix<T> part(const std::vector<std::vector<T>>& x, Place place,
                            const std::vector<Index>& lengths, std::size_t sequence, Index first,
                            Index count) const;
};

// Self-attention from one fused projection, as layers call it.
AttentionSetup fused(const std::vector<Index>& lengths, Index heads, Index depth);

template <typename T>
reference::Matrix<T> AttentionSetup::part(const std::vector<std::vector<T>>& x, Place place,
                                          const std::vector<Index>& lengths, std::size_t sequence,
                                          Index first, Index count) const {
  const Index columns = inputs()[place.input][1];
  Index row = 0;
  for (std::size_t s = 0; s < sequence; ++s) row += lengths[s];
  reference::Matrix<T> result(static_cast<int>(lengths[sequence]), static_cast<int>(count));
  for (Index i = 0; i < lengths[sequence]; ++i) {
    for (Index j = 0; j < count; ++j) {
      const Index at = (row + i) * columns + place.begin + first + j;
      result(static_cast<int>(i), static_cast<int>(j)) =
          x[place.input][static_cast<std::size_t>(at)];
    }
  }
  return result;
}

template <typename T>
reference::Matrix<T> AttentionSetup::slow_weights(const std::vector<std::vector<T>>& x,
                                                  std::size_t sequence, Index head) const {
  reference::AttentionRules rules;
  rules.scale = scale;
  rules.slots = mask.slots;
  if (align == grad::Align::kEnd) {
    rules.first_query = keys[sequence] - mask.slots - queries[sequence];
  }
  rules.before = mask.before;
  rules.after = mask.after;
  if (!windows.empty()) {
    const Index window = windows[static_cast<std::size_t>(head)];
    rules.before = std::min<std::int64_t>(rules.before, window);
    rules.after = std::min<std::int64_t>(rules.after, window);
  }
  rules.not_self = mask.not_self;
  if (!hidden.empty()) {
    Index row = 0;
    for (std::size_t s = 0; s < sequence; ++s) row += keys[s];
    rules.hidden.assign(hidden.begin() + row, hidden.begin() + row + keys[sequence]);
  }
  if (!slopes.empty()) rules.slope = slopes[static_cast<std::size_t>(head)];
  const auto row_of_head = [&](std::size_t input, Index columns) {
    const auto begin = x[input].begin() + head * columns;
    return std::vector<T>(begin, begin + columns);
  };
  std::vector<T> a, relative;
  if (additive) a = row_of_head(place_of_additive(), depth);
  if (reach >= 0) relative = row_of_head(place_of_relative(), 2 * reach + 1);
  return reference::attention_weights(
      rules, part(x, place_of_queries(), queries, sequence, head * depth, depth),
      part(x, place_of_keys(), keys, sequence, head * depth, depth), a, relative);
}

template <typename T>
std::vector<T> AttentionSetup::slow(const std::vector<std::vector<T>>& x) const {
  reference::Matrix<T> out(static_cast<int>(total(queries)), static_cast<int>(value_width()));
  const kernel::Dropout drawn = first_dropout(dropout);
  int first = 0;
  for (std::size_t s = 0; s < queries.size(); ++s) {
    for (Index h = 0; h < heads; ++h) {
      reference::Matrix<T> weights = slow_weights(x, s, h);
      if (dropout > 0.0f) {
        std::vector<float> factors(static_cast<std::size_t>(keys[s] + kernel::kDropoutBlock));
        for (int i = 0; i < weights.rows; ++i) {
          kernel::dropout_factors(drawn.sequence(static_cast<Index>(s)).sequence(h), i, 0, keys[s],
                                  keys[s], factors.data());
          for (int j = 0; j < weights.columns; ++j) {
            weights(i, j) *= T(factors[static_cast<std::size_t>(j)]);
          }
        }
      }
      const auto v = part(x, place_of_values(), keys, s, h * value_depth, value_depth);
      for (int i = 0; i < weights.rows; ++i) {
        for (int j = 0; j < weights.columns; ++j) {
          if (reference::value_of(weights(i, j)) == 0.0) continue;  // not seen, not even its NaN
          for (int c = 0; c < v.columns; ++c) {
            out(first + i, static_cast<int>(h * value_depth) + c) += weights(i, j) * v(j, c);
          }
        }
      }
    }
    first += static_cast<int>(queries[s]);
  }
  return out.values;
}

}  // namespace heed::test
