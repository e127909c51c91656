#include "heed/grad/copy.h"

#include <algorithm>
#include <cmath>

#include "heed/grad/check.h"
#include "heed/kernel/matmul.h"
#include "heed/kernel/rows.h"

namespace heed::grad {
namespace {

using kernel::Matrix;
using kernel::Store;

// One sequence of queries with its source.
struct CopyPart {
  Index row, rows;     // of the queries
  Index place, count;  // of the keys
  float* scores;       // (rows, count)
};

float log_of_sum(float a, float b) {
  const bool first = a > b;  // where one is NaN, so is the sum
  const float larger = first ? a : b, smaller = first ? b : a;
  return larger + std::log1p(std::exp(smaller - larger));
}

std::span<CopyPart> parts_of(Context& context, const Layout& queries, const CopySource& source) {
  const Layout& keys = source.keys.layout;
  const auto parts = context.arena().array<CopyPart>(queries.count());
  for (Index s = 0; s < queries.count(); ++s) {
    const Index from = source.of_query.empty() ? s : source.of_query[static_cast<std::size_t>(s)];
    CopyPart& part = parts[static_cast<std::size_t>(s)];
    part = {queries.begin(s), queries.length(s), keys.begin(from), keys.length(from), nullptr};
    part.scores = context.arena().array<float>(part.rows * part.count).data();
  }
  return parts;
}

// Of each key whether its token stands at no earlier place of the source.
std::span<const char> first_places(Context& context, const CopySource& source, Index entries) {
  const auto first = context.arena().array<char>(std::ssize(source.tokens));
  const auto seen = context.arena().array<std::int32_t>(entries);
  std::fill(seen.begin(), seen.end(), 0);
  const Layout& layout = source.keys.layout;
  for (Index s = 0; s < layout.count(); ++s) {
    for (Index i = layout.begin(s); i < layout.end(s); ++i) {
      std::int32_t& mark =
          seen[static_cast<std::size_t>(source.tokens[static_cast<std::size_t>(i)])];
      first[static_cast<std::size_t>(i)] = mark != s + 1;
      mark = static_cast<std::int32_t>(s + 1);
    }
  }
  return first;
}

void check_copy(Context& context, const Var& logits, const Sequences& queries,
                const CopySource& source) {
  expect_rows("copy_scores", queries);
  expect_rows("copy_scores", source.keys);
  if (queries.rows.rows() != logits.rows() || queries.width() != source.keys.width() ||
      std::ssize(source.tokens) != source.keys.rows.rows()) {
    fail<ShapeError>("copy_scores",
                     "expected {} queries of width {} and {} tokens, got {} of width {} and {}",
                     logits.rows(), source.keys.width(), source.keys.rows.rows(),
                     queries.rows.rows(), queries.width(), source.tokens.size());
  }
  const Index sources =
      source.of_query.empty() ? source.keys.layout.count() : std::ssize(source.of_query);
  if (sources != queries.layout.count() ||
      (!source.of_query.empty() && context.tape().recording())) {
    fail<ShapeError>("copy_scores", "expected a source for each of {} sequences, got {}",
                     queries.layout.count(), sources);
  }
  for (const std::int32_t token : source.tokens) {
    if (token < 0 || token >= logits.columns()) {
      fail<ShapeError>("copy_scores", "expected tokens below {}, got {}", logits.columns(), token);
    }
  }
}

}  // namespace

// With w[t, j] = exp(c[t, j] − y[t, v_j]), the share of place j in its token:
//   dlogits[t, v] = exp(logits[t, v] − y[t, v]) dy[t, v],  dc[t, j] = w[t, j] dy[t, v_j]
Var copy_scores(Context& context, const Var& logits, const Sequences& queries,
                const CopySource& source) {
  check_copy(context, logits, queries, source);
  const Index depth = queries.width(), entries = logits.columns();
  const float factor = 1.0f / std::sqrt(static_cast<float>(depth));
  const auto parts = parts_of(context, queries.layout, source);
  const auto tokens = context.arena().copy(source.tokens);
  const Tensor q = queries.rows.value, k = source.keys.rows.value;
  const Tensor y = context.arena().tensor(logits.shape());
  kernel::scale(y.count(), 1.0f, logits.value.data, y.data, Store::kOverwrite);
  for (const CopyPart& part : parts) {
    if (part.rows == 0 || part.count == 0) continue;
    kernel::product_transposed_right(Matrix(q.row(part.row), part.rows, depth),
                                     Matrix(k.row(part.place), part.count, depth),
                                     Matrix(part.scores, part.rows, part.count), Store::kOverwrite);
    for (Index t = 0; t < part.rows; ++t) {
      float* to = y.row(part.row + t);
      float* scores = part.scores + t * part.count;
      for (Index j = 0; j < part.count; ++j) {
        scores[j] *= factor;
        const std::int32_t token = tokens[static_cast<std::size_t>(part.place + j)];
        to[token] = log_of_sum(to[token], scores[j]);
      }
    }
  }
  if (!context.tape().recording()) return {y, -1};
  const auto first = first_places(context, source, entries);
  const Var keys = source.keys.rows, asked = queries.rows;
  return context.tape().record(
      "copy_scores", y, {logits, asked, keys}, [=](Tape& tape, const Tensor& dy) {
        const Slot d = tape.slot(logits);
        if (d) kernel::scale(dy.count(), 1.0f, dy.data, d.data, d.store);
        const Slot dq = tape.slot(asked), dk = tape.slot(keys);
        for (const CopyPart& part : parts) {
          for (Index t = 0; t < part.rows; ++t) {
            const Index row = part.row + t;
            float* scores = part.scores + t * part.count;  // they become their gradients
            for (Index j = 0; j < part.count; ++j) {
              const auto place = static_cast<std::size_t>(part.place + j);
              const std::int32_t token = tokens[place];
              const float all = y.row(row)[token], gradient = dy.row(row)[token];
              if (d && first[place] != 0) {
                const float written = std::exp(logits.value.row(row)[token] - all);
                d.data[row * entries + token] += (written - 1.0f) * gradient;
              }
              scores[j] = factor * std::exp(scores[j] - all) * gradient;
            }
          }
          const Matrix dc(part.scores, part.rows, part.count);
          if (dq) {
            kernel::product(dc, Matrix(k.row(part.place), part.count, depth),
                            Matrix(dq.data + part.row * depth, part.rows, depth), dq.store);
          }
          if (dk) {
            kernel::product_transposed_left(dc, Matrix(q.row(part.row), part.rows, depth),
                                            Matrix(dk.data + part.place * depth, part.count, depth),
                                            dk.store);
          }
        }
      });
}

}  // namespace heed::grad
