#include "heed/grad/embedding.h"
#include "tests/grad/cases.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

OperationCase embedding_case(const std::string& name, Source source,
                             const std::vector<std::int32_t>& ids, Index vocabulary, Index width,
                             float scale) {
  return operation_case(
      "embedding", name, {{vocabulary, width}},
      [=](Context& context, std::span<const Var>) {
        return grad::embedding(context, ids, context.tape().gradients().parameters()[0], scale);
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        std::vector<T> y;
        for (const std::int32_t id : ids) {
          for (Index c = 0; c < width; ++c) {
            y.push_back(T(scale) * x[0][static_cast<std::size_t>(id * width + c)]);
          }
        }
        return y;
      },
      1.0, source);
}

OperationCase embedding_mean_case(const std::string& name, Source source,
                                  const std::vector<std::int32_t>& ids,
                                  const std::vector<std::int32_t>& counts, Index width) {
  return operation_case(
      "embedding_mean", name, {{5, width}},
      [=](Context& context, std::span<const Var>) {
        return grad::embedding_mean(context, ids, counts,
                                    context.tape().gradients().parameters()[0]);
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        std::vector<T> y(counts.size() * static_cast<std::size_t>(width), T(0.0));
        std::size_t place = 0;
        for (std::size_t row = 0; row < counts.size(); ++row) {
          for (std::int32_t j = 0; j < counts[row]; ++j, ++place) {
            for (Index c = 0; c < width; ++c) {
              y[row * static_cast<std::size_t>(width) + static_cast<std::size_t>(c)] +=
                  x[0][static_cast<std::size_t>(ids[place] * width + c)] / T(counts[row]);
            }
          }
        }
        return y;
      },
      1.0, source);
}

// T[position] for each row of the batch; each sequence is the end of one that has `before` rows
// more.
template <typename T>
std::vector<T> by_position(const std::vector<T>& table, const std::vector<Index>& lengths,
                           Index width, Index before = 0) {
  std::vector<T> y;
  for (const Index length : lengths) {
    y.insert(y.end(), table.begin() + before * width, table.begin() + (before + length) * width);
  }
  return y;
}

OperationCase add_positions_case(const std::string& name, const std::vector<Index>& lengths,
                                 Index longest, Index width, float scale, Index before = 0) {
  std::vector<Index> seen = lengths;
  for (Index& length : seen) length += before;
  return operation_case(
      "add_positions", name, {{total(lengths), width}, {longest, width}},
      [=](Context& context, std::span<const Var> x) {
        return grad::add_positions(context, {x[0], layout_of(context, lengths)},
                                   layout_of(context, seen), x[1], scale);
      },
      [=](const auto& x) {
        auto y = by_position(x[1], lengths, width, before);
        for (std::size_t i = 0; i < y.size(); ++i) {
          y[i] = x[0][i] + Number<decltype(x)>(scale) * y[i];
        }
        return y;
      });
}

OperationCase positions_case(const std::string& name, const std::vector<Index>& lengths,
                             Index longest, Index width) {
  return operation_case(
      "positions", name, {{longest, width}},
      [=](Context& context, std::span<const Var> x) {
        return grad::positions(context, layout_of(context, lengths), x[0]);
      },
      [=](const auto& x) { return by_position(x[0], lengths, width); });
}

}  // namespace

std::vector<OperationCase> embedding_cases() {
  std::vector<OperationCase> rows;
  for (const auto& [source, name] :
       {std::pair{Source::kParameters, "dense"}, std::pair{Source::kSparseParameters, "sparse"}}) {
    const std::string prefix = name;
    rows.push_back(embedding_case(prefix, source, {3, 0, 3, 3, 6, 0}, 7, 5, 1.0f));
    rows.push_back(embedding_case(prefix + "_scaled", source, {1, 1, 0}, 2, 17, 2.5f));
    rows.push_back(embedding_case(prefix + "_one", source, {0}, 1, 1, 1.0f));
    rows.push_back(embedding_case(prefix + "_no_ids", source, {}, 4, 3, 1.0f));
    rows.push_back(embedding_mean_case(prefix, source, {1, 4, 4, 0, 2, 2, 2}, {2, 0, 1, 4}, 7));
    rows.push_back(embedding_mean_case(prefix + "_empty", source, {}, {0, 0}, 3));
  }
  rows.push_back(add_positions_case("ragged", {2, 0, 4, 1}, 4, 5, 1.0f));
  rows.push_back(add_positions_case("scaled_longer_table", {3, 1}, 9, 17, 0.5f));
  rows.push_back(add_positions_case("the_rows_so_far_left_out", {2, 1, 0}, 9, 5, 1.0f, 4));
  rows.push_back(add_positions_case("no_sequences", {}, 2, 3, 1.0f));
  rows.push_back(positions_case("ragged", {2, 0, 4, 1}, 4, 5));
  rows.push_back(positions_case("longer_table", {3, 1}, 9, 17));
  return rows;
}

}  // namespace heed::test
