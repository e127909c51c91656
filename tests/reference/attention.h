#pragma once

#include <cstdint>
#include <cstdlib>

#include "tests/reference/matrix.h"

namespace heed::reference {

// One head of one sequence, from the definition: which keys a query sees, and what is added to its
// scores. Keys begin with `slots` memory slots, which have no position and are always visible
// (unless hidden); key slots + p has position p, query i has position first_query + i.
struct AttentionRules {
  double scale = 1.0;
  std::int64_t slots = 0, first_query = 0;
  std::int64_t before = std::int64_t{1} << 40, after = std::int64_t{1} << 40;
  bool not_self = false;
  std::vector<std::uint8_t> hidden;  // by key, or empty
  double slope = 0.0;

  bool sees(int query, int key) const {
    if (!hidden.empty() && hidden[static_cast<std::size_t>(key)] != 0) return false;
    if (key < slots) return true;
    const std::int64_t distance = (key - slots) - (first_query + query);
    if (distance < -before || distance > after) return false;
    return !(not_self && distance == 0);
  }
};

// softmax over the keys that query i sees, 0 for the others: (queries, keys).
// `additive` is a (depth) for Σ_d a_d tanh(q_d + k_d), empty for dot products; `relative` is a bias
// for each distance from −reach to reach, empty for none.
template <typename T>
Matrix<T> attention_weights(const AttentionRules& rules, const Matrix<T>& q, const Matrix<T>& k,
                            const std::vector<T>& additive, const std::vector<T>& relative) {
  using std::tanh;
  Matrix<T> weights(q.rows, k.rows);
  for (int i = 0; i < q.rows; ++i) {
    std::vector<T> scores;
    std::vector<int> seen;
    for (int j = 0; j < k.rows; ++j) {
      if (!rules.sees(i, j)) continue;
      T score = 0.0;
      for (int d = 0; d < q.columns; ++d) {
        score += additive.empty() ? q(i, d) * k(j, d)
                                  : additive[static_cast<std::size_t>(d)] * tanh(q(i, d) + k(j, d));
      }
      score *= T(rules.scale);
      if (j >= rules.slots) {
        const std::int64_t distance = (j - rules.slots) - (rules.first_query + i);
        score -= T(rules.slope * static_cast<double>(std::abs(distance)));
        if (!relative.empty()) {
          const auto reach = static_cast<std::int64_t>(relative.size() / 2);
          const std::int64_t clipped = std::max(-reach, std::min(reach, distance));
          score += relative[static_cast<std::size_t>(clipped + reach)];
        }
      }
      scores.push_back(score);
      seen.push_back(j);
    }
    const std::vector<T> shares = softmax(scores);
    for (std::size_t n = 0; n < seen.size(); ++n) weights(i, seen[n]) = shares[n];
  }
  return weights;
}

}  // namespace heed::reference
