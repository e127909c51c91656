#include "heed/model/wide/linear_svm.h"

#include <gtest/gtest.h>
#include <linear.h>

#include "heed/base/random.h"

namespace heed {
namespace {

constexpr Index kFeatures = 60;
constexpr double kNoLimit = 1e9;

// Texts whose features lean towards their class, of length 1 beside a bias, as those of TF-IDF are.
LabelledFeatures made_texts(Index texts, Index classes) {
  LabelledFeatures made;
  Random random(7);
  for (Index text = 0; text < texts; ++text) {
    const auto label = static_cast<std::int32_t>(text % classes);
    std::vector<std::int32_t> features = {0};
    std::vector<float> values = {1.0f};
    double squares = 0.0;
    for (std::int32_t feature = 1; feature < kFeatures; ++feature) {
      const bool own = feature % classes == label;
      if (random.uniform() > (own ? 0.3f : 0.1f)) continue;
      features.push_back(feature);
      values.push_back(0.5f + random.uniform());
      squares += std::pow(static_cast<double>(values.back()), 2.0);
    }
    for (std::size_t i = 1; i < values.size(); ++i) {
      values[i] /= static_cast<float>(std::sqrt(squares));
    }
    made.add(features, values, label);
  }
  return made;
}

struct Weights {
  explicit Weights(Index classes)
      : numbers(static_cast<std::size_t>(kFeatures * classes)),
        tensor{numbers.data(), {kFeatures, classes}} {}

  std::vector<float> numbers;
  Tensor tensor;
};

// ½ |w|² + Σ max(0, 1 − y w·x)² of one class.
double objective(const LabelledFeatures& texts, const Tensor& weights, Index label) {
  double sum = 0.0;
  for (Index f = 0; f < weights.rows(); ++f) {
    sum += 0.5 * std::pow(static_cast<double>(weights.row(f)[label]), 2.0);
  }
  for (Index text = 0; text < texts.count(); ++text) {
    double score = 0.0;
    for (std::size_t i = 0; i < texts.features(text).size(); ++i) {
      score += static_cast<double>(texts.values(text)[i]) *
               static_cast<double>(weights.row(texts.features(text)[i])[label]);
    }
    const double y = texts.label(text) == label ? 1.0 : -1.0;
    sum += std::pow(std::max(0.0, 1.0 - y * score), 2.0);
  }
  return sum;
}

// liblinear's primal solver, to the end.
void learn_with_liblinear(const LabelledFeatures& texts, const Tensor& weights, Index label) {
  std::vector<double> targets;
  std::vector<std::vector<feature_node>> lists;
  std::vector<feature_node*> begins;
  for (Index text = 0; text < texts.count(); ++text) {
    targets.push_back(texts.label(text) == label ? 1.0 : -1.0);
    std::vector<feature_node>& list = lists.emplace_back();
    for (std::size_t i = 0; i < texts.features(text).size(); ++i) {
      list.push_back({texts.features(text)[i] + 1, static_cast<double>(texts.values(text)[i])});
    }
    list.push_back({-1, 0.0});
  }
  for (std::vector<feature_node>& list : lists) begins.push_back(list.data());
  const problem task{static_cast<int>(texts.count()), static_cast<int>(weights.rows()),
                     targets.data(), begins.data(), -1.0};
  parameter how{};
  how.solver_type = L2R_L2LOSS_SVC;
  how.C = 1.0;
  how.eps = 1e-6;
  set_print_string_function([](const char*) {});
  model* learned = train(&task, &how);
  const double sign = learned->label[0] == 1 ? 1.0 : -1.0;  // the first class that it met
  for (Index f = 0; f < weights.rows(); ++f) {
    weights.row(f)[label] = static_cast<float>(sign * learned->w[f]);
  }
  free_and_destroy_model(&learned);
}

// Both solvers stop a little above the minimum. An objective that is δ above it has weights within
// √(2 δ) of the best, since ½ |w|² is a part of it.
TEST(LinearSvm, ItFindsWhatLiblinearFinds) {
  for (const Index classes : {2, 3, 19}) {
    const LabelledFeatures texts = made_texts(400, classes);
    Weights found(classes), expected(classes);
    ASSERT_TRUE(learn_svm(texts, found.tensor, 1, kNoLimit));
    for (Index label = 0; label < classes; ++label) {
      learn_with_liblinear(texts, expected.tensor, label);
      const double least = objective(texts, expected.tensor, label);
      EXPECT_NEAR(objective(texts, found.tensor, label) / least, 1.0, 5e-3)
          << "class " << label << " of " << classes;
    }
  }
}

TEST(LinearSvm, TheNumberOfWorkersChangesNothing) {
  const LabelledFeatures texts = made_texts(300, 40);
  Weights one(40), three(40);
  ASSERT_TRUE(learn_svm(texts, one.tensor, 1, kNoLimit));
  ASSERT_TRUE(learn_svm(texts, three.tensor, 3, kNoLimit));
  EXPECT_EQ(one.numbers, three.numbers);
}

// Which others are learned beside it makes no difference to a class.
TEST(LinearSvm, AClassIsLearnedAsIfItWereAlone) {
  const LabelledFeatures texts = made_texts(300, 20);
  LabelledFeatures others;  // class 17 becomes class 0, all others class 1
  for (Index text = 0; text < texts.count(); ++text) {
    others.add(texts.features(text), texts.values(text), texts.label(text) == 17 ? 0 : 1);
  }
  Weights all(20), two(2);
  ASSERT_TRUE(learn_svm(texts, all.tensor, 1, kNoLimit));
  ASSERT_TRUE(learn_svm(others, two.tensor, 1, kNoLimit));
  for (Index f = 0; f < kFeatures; ++f) {
    EXPECT_EQ(all.tensor.row(f)[17], two.tensor.row(f)[0]);
    EXPECT_EQ(two.tensor.row(f)[1], -two.tensor.row(f)[0]);
  }
}

TEST(LinearSvm, WithoutTimeItSaysSo) {
  Weights weights(3);
  EXPECT_FALSE(learn_svm(made_texts(100, 3), weights.tensor, 2, 0.0));
}

}  // namespace
}  // namespace heed
