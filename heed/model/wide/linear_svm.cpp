#include "heed/model/wide/linear_svm.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>

#include "heed/base/workers.h"

namespace heed {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One class against all others.
void learn_class(LabelledFeatures& texts, Index label, const Tensor& weights, const float* begin) {
  std::vector<double> targets, first;
  targets.reserve(texts.labels().size());
  for (const std::int32_t other : texts.labels()) targets.push_back(other == label ? 1.0 : -1.0);
  const problem task{static_cast<int>(texts.count()), static_cast<int>(weights.rows()),
                     targets.data(), texts.lists().data(), -1.0};
  parameter how{};
  how.solver_type = L2R_L2LOSS_SVC;
  how.C = 1.0;
  how.eps = 0.01;
  const bool both =
      std::adjacent_find(targets.begin(), targets.end(), std::not_equal_to<>()) != targets.end();
  if (begin != nullptr && both) {
    for (Index i = 0; i < weights.rows(); ++i) {
      first.push_back(static_cast<double>(begin[i * weights.columns() + label]));
    }
    how.init_sol = first.data();
  }
  model* learned = train(&task, &how);
  // The first class that liblinear met is the one that positive values speak for. Where there is no
  // other it learns nothing.
  const double sign = learned->label[0] == 1 ? 1.0 : -1.0;
  for (Index feature = 0; feature < weights.rows(); ++feature) {
    weights.row(feature)[label] = static_cast<float>(sign * learned->w[feature]);
  }
  free_and_destroy_model(&learned);
}

}  // namespace

bool learn_svm(LabelledFeatures& texts, const Tensor& weights, int workers, double seconds,
               std::span<const float> begin_with) {
  set_print_string_function([](const char*) {});
  const double begin = now();
  std::atomic<Index> next = 0, done = 0;
  std::atomic<bool> late = false;
  Workers team(workers);
  team.run([&](int) {
    for (Index label = next++; label < weights.columns() && !late; label = next++) {
      learn_class(texts, label, weights, begin_with.empty() ? nullptr : begin_with.data());
      // What is done shows what the rest will take.
      const double share = static_cast<double>(++done) / static_cast<double>(weights.columns());
      if ((now() - begin) / share > seconds) late = true;
    }
  });
  return !late;
}

}  // namespace heed
