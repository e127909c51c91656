#include "heed/model/input/latent_vectors.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/random.h"
#include "heed/kernel/matmul.h"
#include "heed/kernel/rows.h"

namespace heed {
namespace {

constexpr int kIterations = 3;
constexpr Index kMoreColumns = 8;  // than are wanted: the last ones converge slowly

// Rows of numbers, one after another.
struct Rows {
  Index rows, columns;
  std::vector<float> values;

  Rows(Index row_count, Index column_count)
      : rows(row_count),
        columns(column_count),
        values(static_cast<std::size_t>(row_count * column_count)) {}
  float* row(Index i) { return values.data() + i * columns; }
  const float* row(Index i) const { return values.data() + i * columns; }
  kernel::Matrix matrix() { return {values.data(), rows, columns}; }
};

// A sparse matrix by rows.
struct Sparse {
  Index rows, columns;
  std::vector<Index> begins{0};  // of the rows in the two below
  std::vector<std::int32_t> which{};
  std::vector<float> values{};
};

Sparse transposed(const Sparse& a) {
  Sparse t{a.columns, a.rows};
  t.begins.assign(static_cast<std::size_t>(a.columns) + 1, 0);
  for (const std::int32_t column : a.which) ++t.begins[static_cast<std::size_t>(column) + 1];
  std::partial_sum(t.begins.begin(), t.begins.end(), t.begins.begin());
  t.which.resize(a.which.size());
  t.values.resize(a.values.size());
  std::vector<Index> next = t.begins;
  for (Index row = 0; row < a.rows; ++row) {
    const auto begin = static_cast<std::size_t>(a.begins[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(a.begins[static_cast<std::size_t>(row) + 1]);
    for (std::size_t i = begin; i < end; ++i) {
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(a.which[i])]++);
      t.which[to] = static_cast<std::int32_t>(row);
      t.values[to] = a.values[i];
    }
  }
  return t;
}

// a (n, m) · x (m, columns) → (n, columns)
Rows product(const Sparse& a, const Rows& x, Workers& workers) {
  Rows y(a.rows, x.columns);
  // Each worker has about as many numbers: rows of frequent words have more than others.
  const auto first_row = [&](int worker) {
    const Index numbers = a.begins.back() * worker / workers.count();
    return std::lower_bound(a.begins.begin(), a.begins.end() - 1, numbers) - a.begins.begin();
  };
  workers.run([&](int worker) {
    const Index last = worker + 1 < workers.count() ? first_row(worker + 1) : a.rows;
    for (Index row = first_row(worker); row < last; ++row) {
      const auto begin = static_cast<std::size_t>(a.begins[static_cast<std::size_t>(row)]);
      const auto end = static_cast<std::size_t>(a.begins[static_cast<std::size_t>(row) + 1]);
      for (std::size_t i = begin; i < end; ++i) {
        kernel::scale(x.columns, a.values[i], x.row(a.which[i]), y.row(row), kernel::Store::kAdd);
      }
    }
  });
  return y;
}

// x (n, k) · m (k, j), m by rows
Rows product(Rows& x, std::span<const double> m, Index j) {
  Rows right(x.columns, j), y(x.rows, j);
  std::transform(m.begin(), m.end(), right.values.begin(),
                 [](double value) { return static_cast<float>(value); });
  kernel::product(x.matrix(), right.matrix(), y.matrix(), kernel::Store::kOverwrite);
  return y;
}

// xᵀ x, (columns, columns)
std::vector<double> gram(Rows& x) {
  Rows g(x.columns, x.columns);
  kernel::product_transposed_left(x.matrix(), x.matrix(), g.matrix(), kernel::Store::kOverwrite);
  return {g.values.begin(), g.values.end()};
}

// Makes the columns of x orthonormal: with xᵀ x = Rᵀ R (Cholesky) they are x R⁻¹. A column that
// depends on those before it becomes 0. Twice, for what rounding left of the first time. Returns
// how many columns are not 0.
Index orthonormalize(Rows& x) {
  constexpr double kDependent = 1e-5;  // what is left of the square of a column
  const auto n = static_cast<std::size_t>(x.columns);
  Index independent = 0;
  for (int time = 0; time < 2; ++time) {
    independent = 0;
    const std::vector<double> g = gram(x);
    std::vector<double> r(n * n, 0.0), inverse(n * n, 0.0);  // both upper triangular
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i <= j; ++i) {
        double rest = g[i * n + j];
        for (std::size_t k = 0; k < i; ++k) rest -= r[k * n + i] * r[k * n + j];
        if (i < j) {
          r[i * n + j] = r[i * n + i] > 0.0 ? rest / r[i * n + i] : 0.0;
        } else if (rest > kDependent * g[j * n + j]) {
          r[j * n + j] = std::sqrt(rest);
        }
      }
      if (r[j * n + j] == 0.0) continue;
      ++independent;
      inverse[j * n + j] = 1.0 / r[j * n + j];
      for (std::size_t i = 0; i < j; ++i) {
        double sum = 0.0;
        for (std::size_t k = i; k < j; ++k) sum += inverse[i * n + k] * r[k * n + j];
        inverse[i * n + j] = -sum * inverse[j * n + j];
      }
    }
    x = product(x, inverse, x.columns);
  }
  return independent;
}

// The eigenvalues of a symmetric matrix (n, n) and, in the columns of `vectors`, its eigenvectors,
// by cyclic Jacobi rotations.
struct Eigen {
  std::vector<double> values, vectors;
};
Eigen eigen(std::vector<double> g, std::size_t n) {
  constexpr int kMostSweeps = 20;
  std::vector<double> v(n * n, 0.0);
  double diagonal = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    v[i * n + i] = 1.0;
    diagonal += g[i * n + i] * g[i * n + i];
  }
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double off = 0.0;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) off += g[p * n + q] * g[p * n + q];
    }
    if (off <= 1e-14 * diagonal) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double apart = g[p * n + q];
        if (apart == 0.0) continue;
        const double theta = (g[q * n + q] - g[p * n + p]) / (2.0 * apart);
        const double t = (theta >= 0.0 ? 1.0 : -1.0) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
        const auto rotate = [&](double& a, double& b) {
          const double before = a;
          a = c * before - s * b;
          b = s * before + c * b;
        };
        for (std::size_t k = 0; k < n; ++k) rotate(g[p * n + k], g[q * n + k]);
        for (std::size_t k = 0; k < n; ++k) rotate(g[k * n + p], g[k * n + q]);
        for (std::size_t k = 0; k < n; ++k) rotate(v[k * n + p], v[k * n + q]);
      }
    }
  }
  Eigen found{std::vector<double>(n), std::move(v)};
  for (std::size_t i = 0; i < n; ++i) found.values[i] = g[i * n + i];
  return found;
}

Rows random_rows(Index rows, Index columns, std::uint64_t seed) {
  Rows x(rows, columns);
  Random random(seed);
  for (float& value : x.values) value = random.normal();
  return x;
}

// A turn of the space, at random.
Rows random_turn(Index width, std::uint64_t seed) {
  for (std::uint64_t attempt = 2;; ++attempt) {
    Rows turn = random_rows(width, width, mix(seed, attempt));
    if (orthonormalize(turn) == width) return turn;  // nearly always the first
  }
}

}  // namespace

void LatentVectors::add(std::span<const std::int32_t> tokens) {
  std::vector<std::int32_t> sorted(tokens.begin(), tokens.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    which_.push_back(sorted[begin]);
    counts_.push_back(static_cast<float>(end - begin));
  }
  begins_.push_back(std::ssize(which_));
}

void LatentVectors::compute(std::span<float> vectors, Index width, float deviation,
                            std::uint64_t seed, Workers& workers) const {
  const Index texts = std::ssize(begins_) - 1;
  if (which_.empty()) return;
  kernel::prepare_products();
  Sparse a{texts, words_, begins_, which_, counts_};
  std::vector<Index> have(static_cast<std::size_t>(words_), 0);
  for (const std::int32_t word : a.which) ++have[static_cast<std::size_t>(word)];
  for (std::size_t text = 0; text + 1 < a.begins.size(); ++text) {
    const auto begin = static_cast<std::size_t>(a.begins[text]);
    const auto end = static_cast<std::size_t>(a.begins[text + 1]);
    double squares = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      const auto others = static_cast<double>(have[static_cast<std::size_t>(a.which[i])]);
      const double idf = 1.0 + std::log((1.0 + static_cast<double>(texts)) / (1.0 + others));
      const double value = (1.0 + std::log(static_cast<double>(a.values[i]))) * idf;
      a.values[i] = static_cast<float>(value);
      squares += value * value;
    }
    const auto scale = static_cast<float>(1.0 / std::sqrt(std::max(squares, 1e-30)));
    for (std::size_t i = begin; i < end; ++i) a.values[i] *= scale;
  }
  const Sparse words = transposed(a);
  const Index columns = std::min(width + kMoreColumns, std::min(texts, words_));
  Rows q = random_rows(words_, columns, mix(seed, 1));
  for (int i = 0; i < kIterations; ++i) {
    Rows left = product(a, q, workers);  // (texts, columns)
    orthonormalize(left);
    q = product(words, left, workers);  // (words, columns)
    orthonormalize(q);
  }
  Rows projected = product(a, q, workers);  // (texts, columns); its singular values are A's
  const auto n = static_cast<std::size_t>(columns);
  const Eigen found = eigen(gram(projected), n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return found.values[i] > found.values[j]; });
  order.resize(std::min(n, static_cast<std::size_t>(width)));
  // E λ^¼ R: the eigenvalues are squares of singular values, R turns the space at random.
  const Rows turn = random_turn(width, seed);
  std::vector<double> last(n * static_cast<std::size_t>(width), 0.0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double root = std::sqrt(std::sqrt(std::max(found.values[order[k]], 0.0)));
    for (std::size_t i = 0; i < n; ++i) {
      const double share = found.vectors[i * n + order[k]] * root;
      const float* direction = turn.row(static_cast<Index>(k));
      for (Index j = 0; j < width; ++j) {
        last[i * static_cast<std::size_t>(width) + static_cast<std::size_t>(j)] +=
            share * static_cast<double>(direction[j]);
      }
    }
  }
  const Rows made = product(q, last, width);
  for (Index word = 0; word < words_; ++word) {
    const double length = std::sqrt(kernel::sum_of_squares(width, made.row(word)));
    if (!(length > 1e-12)) continue;
    const double wanted = static_cast<double>(deviation) * std::sqrt(static_cast<double>(width));
    kernel::scale(width, static_cast<float>(wanted / length), made.row(word),
                  vectors.data() + word * width, kernel::Store::kOverwrite);
  }
}

}  // namespace heed
