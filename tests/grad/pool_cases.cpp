#include "heed/grad/pool.h"
#include "tests/grad/cases.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

using grad::Pool;

// One column of one sequence.
template <typename T>
std::vector<T> column_of(const std::vector<T>& x, Index begin, Index length, Index width,
                         Index column) {
  std::vector<T> numbers;
  for (Index row = begin; row < begin + length; ++row) {
    numbers.push_back(x[static_cast<std::size_t>(row * width + column)]);
  }
  return numbers;
}

template <typename T>
T pooled(Pool kind, const std::vector<T>& numbers) {
  T result = kind == Pool::kLast ? numbers.back() : numbers.front();
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const bool not_a_number = std::isnan(reference::value_of(numbers[i]));
    if (kind == Pool::kMax && (not_a_number || numbers[i] > result)) result = numbers[i];
    if (kind == Pool::kMean || kind == Pool::kSum) result += numbers[i];
  }
  return kind == Pool::kMean ? result / T(static_cast<double>(numbers.size())) : result;
}

OperationCase pool_case(const std::string& operation, const std::string& name, Pool kind,
                        const std::vector<Index>& lengths, Index width) {
  return operation_case(
      operation, name, {{total(lengths), width}},
      [=](Context& context, std::span<const Var> x) {
        return grad::pool(context, {x[0], layout_of(context, lengths)}, kind);
      },
      [=](const auto& x) {
        std::vector<Number<decltype(x)>> y;
        Index begin = 0;
        for (const Index length : lengths) {
          for (Index c = 0; c < width; ++c) {
            y.push_back(pooled(kind, column_of(x[0], begin, length, width, c)));
          }
          begin += length;
        }
        return y;
      });
}

OperationCase weighted_case(const std::string& name, const std::vector<Index>& lengths,
                            Index width) {
  const Index rows = total(lengths);
  return operation_case(
      "weighted_pool", name, {{rows, width}, {rows, 1}},
      [=](Context& context, std::span<const Var> x) {
        return grad::weighted_pool(context, {x[0], layout_of(context, lengths)}, x[1]);
      },
      [=](const auto& x) {
        using T = Number<decltype(x)>;
        std::vector<T> y;
        Index begin = 0;
        for (const Index length : lengths) {
          const auto weights = reference::softmax(column_of(x[1], begin, length, 1, 0));
          for (Index c = 0; c < width; ++c) {
            const auto numbers = column_of(x[0], begin, length, width, c);
            T sum = 0.0;
            for (std::size_t i = 0; i < numbers.size(); ++i) sum += weights[i] * numbers[i];
            y.push_back(sum);
          }
          begin += length;
        }
        return y;
      },
      4.0);
}

}  // namespace

std::vector<OperationCase> pool_cases() {
  std::vector<OperationCase> rows;
  const std::tuple<const char*, const char*, Pool> kinds[] = {{"sum_pool", "mean", Pool::kMean},
                                                              {"sum_pool", "sum", Pool::kSum},
                                                              {"max_pool", "max", Pool::kMax},
                                                              {"end_pool", "first", Pool::kFirst},
                                                              {"end_pool", "last", Pool::kLast}};
  for (const auto& [operation, kind_name, kind] : kinds) {
    const std::string name = kind_name;
    rows.push_back(pool_case(operation, name + "_ragged", kind, {1, 5, 2, 9}, 7));
    rows.push_back(pool_case(operation, name + "_one", kind, {1}, 1));
    rows.push_back(pool_case(operation, name + "_wide", kind, {3, 3}, 33));
  }
  rows.push_back(weighted_case("ragged", {1, 5, 2, 19}, 7));
  rows.push_back(weighted_case("one", {1}, 1));
  return rows;
}

}  // namespace heed::test
