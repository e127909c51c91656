#include "heed/grad/loss.h"
#include "tests/grad/cases.h"
#include "tests/support/layouts.h"

namespace heed::test {
namespace {

struct CrossEntropy {
  std::vector<std::int32_t> targets;
  Index classes = 1;
  float divisor = 0.0f, smoothing = 0.0f;
  std::vector<float> class_weights{}, row_weights{};

  double row_weight(std::size_t row) const { return row_weights.empty() ? 1.0 : row_weights[row]; }
  double weight(Index c) const {
    return class_weights.empty() ? 1.0 : class_weights[static_cast<std::size_t>(c)];
  }
};

OperationCase cross_entropy_case(const std::string& name, const CrossEntropy& setup) {
  const auto rows = static_cast<Index>(setup.targets.size());
  return operation_case(
      "cross_entropy", name, {{rows, setup.classes}},
      [setup](Context& context, std::span<const Var> x) {
        return grad::cross_entropy(
            context, x[0], setup.targets,
            {setup.divisor, setup.smoothing, setup.class_weights, setup.row_weights});
      },
      [setup](const auto& x) {
        using std::log;
        using T = Number<decltype(x)>;
        T sum = 0.0;
        double total_weight = 0.0;
        for (std::size_t row = 0; row < setup.targets.size(); ++row) {
          const std::int32_t target = setup.targets[row];
          if (target == grad::kIgnored) continue;
          const auto begin = x[0].begin() + static_cast<Index>(row) * setup.classes;
          const auto p = reference::softmax(std::vector<T>(begin, begin + setup.classes));
          for (Index c = 0; c < setup.classes; ++c) {
            const double share = (c == target ? 1.0 - setup.smoothing : 0.0) +
                                 setup.smoothing / static_cast<double>(setup.classes);
            sum -= T(share * setup.weight(c) * setup.row_weight(row)) *
                   log(p[static_cast<std::size_t>(c)]);
          }
          total_weight += setup.weight(target) * setup.row_weight(row);
        }
        const double divisor = setup.divisor > 0.0f ? setup.divisor : total_weight;
        return std::vector<T>{divisor > 0.0 ? sum / T(divisor) : T(0.0)};
      },
      4.0);
}

OperationCase binary_case(const std::string& name, Index columns, const std::vector<float>& targets,
                          float divisor, const std::vector<float>& class_weights) {
  const auto count = static_cast<Index>(targets.size());
  return operation_case(
      "binary_cross_entropy", name, {{count / columns, columns}},
      [=](Context& context, std::span<const Var> x) {
        return grad::binary_cross_entropy(context, x[0], targets,
                                          {.divisor = divisor, .class_weights = class_weights});
      },
      [=](const auto& x) {
        using std::log;
        using T = Number<decltype(x)>;
        T sum = 0.0;
        for (std::size_t i = 0; i < targets.size(); ++i) {
          const T p = reference::sigmoid(x[0][i]);
          const double t = targets[i];
          const auto column = i % static_cast<std::size_t>(columns);
          const double weight = class_weights.empty() ? 1.0 : class_weights[column];
          sum -= T(weight) * (T(t) * log(p) + T(1.0 - t) * log(T(1.0) - p));
        }
        return std::vector<T>{sum / T(divisor > 0.0f ? divisor : static_cast<double>(count))};
      },
      4.0);
}

OperationCase divergence_case(const std::string& name, Index rows, Index classes, float divisor) {
  return operation_case(
      "divergence", name, {{rows, classes}, {rows, classes}},
      [=](Context& context, std::span<const Var> x) {
        return grad::divergence(context, x[0], x[1], divisor);
      },
      [=](const auto& x) {
        using std::log;
        using T = Number<decltype(x)>;
        T sum = 0.0;
        for (Index row = 0; row < rows; ++row) {
          const auto softmax = [&](const auto& all) {
            const auto begin = all.begin() + row * classes;
            return reference::softmax(std::vector<T>(begin, begin + classes));
          };
          const auto p = softmax(x[0]), q = softmax(x[1]);
          for (std::size_t c = 0; c < p.size(); ++c) {
            sum += T(0.5) * (p[c] * log(p[c] / q[c]) + q[c] * log(q[c] / p[c]));
          }
        }
        return std::vector<T>{sum / T(divisor)};
      },
      4.0);
}

}  // namespace

std::vector<OperationCase> loss_cases() {
  constexpr std::int32_t kIgnored = grad::kIgnored;
  return {
      cross_entropy_case("mean", {.targets = {0, 4, 2, 2}, .classes = 5}),
      cross_entropy_case("many_classes", {.targets = {99, 0}, .classes = 101}),
      cross_entropy_case("one_class", {.targets = {0, 0}, .classes = 1}),
      cross_entropy_case("smoothing", {.targets = {0, 4, 2}, .classes = 5, .smoothing = 0.1f}),
      cross_entropy_case(
          "class_weights",
          {.targets = {0, 2, 2}, .classes = 3, .class_weights = {0.5f, 3.0f, 0.25f}}),
      cross_entropy_case("ignored", {.targets = {kIgnored, 1, kIgnored, 2}, .classes = 3}),
      cross_entropy_case("all_ignored", {.targets = {kIgnored, kIgnored}, .classes = 3}),
      cross_entropy_case("divisor", {.targets = {0, 1}, .classes = 3, .divisor = 7.0f}),
      cross_entropy_case(
          "row_weights",
          {.targets = {0, kIgnored, 2, 2}, .classes = 3, .row_weights = {0.5f, 7.0f, 0.0f, 2.0f}}),
      cross_entropy_case("everything", {.targets = {2, kIgnored, 0, 1, 1},
                                        .classes = 3,
                                        .divisor = 9.0f,
                                        .smoothing = 0.2f,
                                        .class_weights = {0.5f, 3.0f, 0.25f},
                                        .row_weights = {0.5f, 7.0f, 0.25f, 2.0f, 1.0f}}),
      binary_case("mean", 3, {0.0f, 1.0f, 0.25f, 1.0f, 1.0f, 0.0f}, 0.0f, {}),
      binary_case("class_weights", 2, {0.0f, 1.0f, 0.25f, 0.5f}, 0.0f, {2.0f, 0.5f}),
      binary_case("divisor", 1, {1.0f}, 5.0f, {}),
      divergence_case("one_row", 1, 5, 1.0f),
      divergence_case("rows", 4, 3, 7.0f),
      divergence_case("many_classes", 2, 101, 2.0f),
  };
}

}  // namespace heed::test
