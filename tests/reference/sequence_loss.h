#pragma once

#include "tests/reference/matrix.h"

namespace heed::reference {

// Losses over whole sequences by trying every sequence there is: only for a few rows and classes.

// Calls body(sequence) for every sequence of `length` numbers below `bound`.
template <typename Body>
void for_each_sequence(int length, int bound, Body body) {
  std::vector<int> sequence(static_cast<std::size_t>(length), 0);
  while (true) {
    body(sequence);
    std::size_t place = 0;
    while (place < sequence.size() && ++sequence[place] == bound) sequence[place++] = 0;
    if (place == sequence.size()) return;
  }
}

template <typename T>
struct Crf {
  Matrix<T> transitions;
  std::vector<T> start, end;

  T score(const Matrix<T>& emissions, const std::vector<int>& tags) const {
    T sum =
        start[static_cast<std::size_t>(tags.front())] + end[static_cast<std::size_t>(tags.back())];
    for (std::size_t t = 0; t < tags.size(); ++t) {
      sum += emissions(static_cast<int>(t), tags[t]);
      if (t > 0) sum += transitions(tags[t - 1], tags[t]);
    }
    return sum;
  }

  // −log p(tags)
  T loss(const Matrix<T>& emissions, const std::vector<int>& tags) const {
    std::vector<T> scores;
    for_each_sequence(emissions.rows, emissions.columns, [&](const std::vector<int>& other) {
      scores.push_back(score(emissions, other));
    });
    return log_sum_exp(scores) - score(emissions, tags);
  }

  std::vector<int> best(const Matrix<T>& emissions) const {
    std::vector<int> result;
    for_each_sequence(emissions.rows, emissions.columns, [&](const std::vector<int>& other) {
      if (result.empty() || score(emissions, other) > score(emissions, result)) result = other;
    });
    return result;
  }
};

// Runs of one class become one, then blanks go.
inline std::vector<int> collapsed(const std::vector<int>& path, int blank) {
  std::vector<int> labels;
  for (std::size_t t = 0; t < path.size(); ++t) {
    if ((t == 0 || path[t] != path[t - 1]) && path[t] != blank) labels.push_back(path[t]);
  }
  return labels;
}

// −log p(labels), p the sum over all paths that collapse to them; 0 where there is none.
template <typename T>
T ctc(const Matrix<T>& logits, const std::vector<int>& labels, int blank) {
  using std::log;
  std::vector<std::vector<T>> y;
  for (int t = 0; t < logits.rows; ++t) {
    const auto begin = logits.values.begin() + t * logits.columns;
    y.push_back(softmax(std::vector<T>(begin, begin + logits.columns)));
  }
  T sum = 0.0;
  bool possible = false;
  for_each_sequence(logits.rows, logits.columns, [&](const std::vector<int>& path) {
    if (collapsed(path, blank) != labels) return;
    possible = true;
    T product = 1.0;
    for (std::size_t t = 0; t < path.size(); ++t)
      product *= y[t][static_cast<std::size_t>(path[t])];
    sum += product;
  });
  return possible ? -log(sum) : T(0.0);
}

}  // namespace heed::reference
