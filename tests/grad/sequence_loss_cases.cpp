#include "heed/grad/copy.h"
#include "heed/grad/crf.h"
#include "heed/grad/ctc.h"
#include "tests/grad/cases.h"
#include "tests/reference/sequence_loss.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

// Rows of one sequence of a batch.
template <typename T>
reference::Matrix<T> matrix_of(const std::vector<T>& x, Index begin, Index length, Index width) {
  return {static_cast<int>(length), static_cast<int>(width),
          std::vector<T>(x.begin() + begin * width, x.begin() + (begin + length) * width)};
}

OperationCase crf_case(const std::string& name, const std::vector<Index>& lengths, Index tags,
                       float divisor) {
  std::vector<std::int32_t> targets;
  Random random(7);
  for (Index row = 0; row < total(lengths); ++row) {
    targets.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(tags))));
  }
  return operation_case(
      "crf", name, {{total(lengths), tags}, {tags, tags}, {tags}, {tags}},
      [=](Context& context, std::span<const Var> x) {
        return grad::crf(context, {x[0], layout_of(context, lengths)}, {x[1], x[2], x[3]}, targets,
                         {.divisor = divisor});
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        const reference::Crf<T> crf{as_matrix(x, 1, tags, tags), x[2], x[3]};
        T sum = 0.0;
        Index begin = 0;
        for (const Index length : lengths) {
          sum += crf.loss(matrix_of(x[0], begin, length, tags),
                          {targets.begin() + begin, targets.begin() + begin + length});
          begin += length;
        }
        return std::vector<T>{sum /
                              T(divisor > 0.0f ? divisor : static_cast<double>(lengths.size()))};
      },
      4.0);
}

OperationCase ctc_case(const std::string& name, const std::vector<Index>& lengths, Index classes,
                       const std::vector<std::vector<int>>& labels,
                       const grad::CtcOptions& options = {}) {
  std::vector<std::int32_t> ids;
  std::vector<Index> label_lengths;
  for (const auto& one : labels) {
    ids.insert(ids.end(), one.begin(), one.end());
    label_lengths.push_back(static_cast<Index>(one.size()));
  }
  return operation_case(
      "ctc", name, {{total(lengths), classes}},
      [=](Context& context, std::span<const Var> x) {
        return grad::ctc(context, {x[0], layout_of(context, lengths)}, {ids, label_lengths},
                         options);
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        T sum = 0.0;
        Index begin = 0;
        for (std::size_t s = 0; s < lengths.size(); ++s) {
          sum +=
              reference::ctc(matrix_of(x[0], begin, lengths[s], classes), labels[s], options.blank);
          begin += lengths[s];
        }
        return std::vector<T>{sum / T(options.divisor > 0.0f
                                          ? options.divisor
                                          : static_cast<double>(lengths.size()))};
      },
      4.0);
}

// ln(exp(logit) + Σ exp(query · key / √depth)), as it is written.
OperationCase copy_case(const std::string& name, const std::vector<Index>& queries,
                        const std::vector<Index>& keys, Index depth,
                        const std::vector<std::int32_t>& tokens, Index entries) {
  const Index rows = total(queries), places = total(keys);
  return operation_case(
      "copy_scores", name, {{rows, entries}, {rows, depth}, {places, depth}},
      [=](Context& context, std::span<const Var> x) {
        return grad::copy_scores(context, x[0], {x[1], layout_of(context, queries)},
                                 {{x[2], layout_of(context, keys)}, tokens});
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        using std::exp, std::log;
        std::vector<T> y;
        Index row = 0, begin = 0;
        for (std::size_t s = 0; s < queries.size(); ++s) {
          for (Index t = 0; t < queries[s]; ++t, ++row) {
            for (Index v = 0; v < entries; ++v) {
              T sum = exp(x[0][static_cast<std::size_t>(row * entries + v)]);
              for (Index j = begin; j < begin + keys[s]; ++j) {
                if (tokens[static_cast<std::size_t>(j)] != v) continue;
                T product = 0.0;
                for (Index i = 0; i < depth; ++i) {
                  product += x[1][static_cast<std::size_t>(row * depth + i)] *
                             x[2][static_cast<std::size_t>(j * depth + i)];
                }
                sum += exp(product / T(std::sqrt(static_cast<double>(depth))));
              }
              y.push_back(log(sum));
            }
          }
          begin += keys[s];
        }
        return y;
      },
      4.0);
}

}  // namespace

std::vector<OperationCase> sequence_loss_cases() {
  return {
      copy_case("ragged", {2, 1, 3}, {3, 1, 4}, 4, {1, 2, 1, 3, 4, 4, 2, 4}, 5),
      copy_case("repeated_tokens", {2, 2}, {2, 3}, 3, {0, 1, 0, 0, 2}, 4),
      copy_case("one_place", {1}, {1}, 2, {2}, 3),
      crf_case("ragged", {1, 4, 2, 5}, 3, 0.0f),
      crf_case("one_row", {1}, 4, 0.0f),
      crf_case("one_tag", {3, 2}, 1, 0.0f),
      crf_case("two_rows_many_tags", {2, 2}, 19, 0.0f),
      crf_case("divisor", {3, 3}, 2, 7.0f),
      ctc_case("ragged", {5, 1, 6}, 3, {{1, 2}, {2}, {2, 1, 2}}),
      ctc_case("repeats", {5, 6, 3}, 3, {{1, 1}, {1, 1, 2}, {2, 2}}),
      ctc_case("rows_just_enough", {3, 3}, 4, {{3, 1, 2}, {3, 3}}),
      ctc_case("no_labels", {4, 2, 0}, 3, {{}, {1}, {}}),
      ctc_case("one_row", {1}, 2, {{1}}),
      ctc_case("blank_last", {5, 4}, 3, {{0, 1}, {0, 0}}, {.blank = 2}),
      ctc_case("divisor", {4, 3}, 3, {{1}, {2, 1}}, {.divisor = 5.0f}),
      ctc_case("impossible_is_zero", {2, 4, 0, 2}, 3, {{1, 1}, {2}, {1}, {1, 2, 1}},
               {.impossible = grad::Impossible::kZero}),
  };
}

}  // namespace heed::test
