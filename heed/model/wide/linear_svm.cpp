#include "heed/model/wide/linear_svm.h"

#include <linear.h>

#include <atomic>
#include <chrono>

#include "heed/base/workers.h"

namespace heed {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Texts as liblinear takes them: features from 1 on, each list ended by −1.
class Documents {
 public:
  explicit Documents(const LabelledFeatures& texts) {
    nodes_.reserve(texts.features.values().size() + texts.labels.size());
    std::vector<std::size_t> begins;
    for (Index i = 0; i < texts.features.count(); ++i) {
      const auto features = texts.features.part(i);
      const auto values = texts.values.part(i);
      begins.push_back(nodes_.size());
      for (std::size_t k = 0; k < features.size(); ++k) {
        nodes_.push_back({features[k] + 1, static_cast<double>(values[k])});
      }
      nodes_.push_back({-1, 0.0});
    }
    for (const std::size_t begin : begins) rows_.push_back(nodes_.data() + begin);
  }

  feature_node** rows() { return rows_.data(); }
  int count() const { return static_cast<int>(rows_.size()); }

 private:
  std::vector<feature_node> nodes_;
  std::vector<feature_node*> rows_;
};

// One class against all others.
void learn_class(Documents& documents, std::span<const std::int32_t> labels, Index label,
                 const Tensor& weights) {
  std::vector<double> targets;
  targets.reserve(labels.size());
  for (const std::int32_t other : labels) targets.push_back(other == label ? 1.0 : -1.0);
  const problem task{documents.count(), static_cast<int>(weights.rows()), targets.data(),
                     documents.rows(), -1.0};
  parameter how{};
  how.solver_type = L2R_L2LOSS_SVC;
  how.C = 1.0;
  how.eps = 0.01;
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

bool learn_svm(const LabelledFeatures& texts, const Tensor& weights, int workers, double seconds) {
  set_print_string_function([](const char*) {});
  const double begin = now();
  Documents documents(texts);
  std::atomic<Index> next = 0, done = 0;
  std::atomic<bool> late = false;
  Workers team(workers);
  team.run([&](int) {
    for (Index label = next++; label < weights.columns() && !late; label = next++) {
      learn_class(documents, texts.labels, label, weights);
      // What is done shows what the rest will take.
      const double share = static_cast<double>(++done) / static_cast<double>(weights.columns());
      if ((now() - begin) / share > seconds) late = true;
    }
  });
  return !late;
}

}  // namespace heed
