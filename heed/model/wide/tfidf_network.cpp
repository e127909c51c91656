#include "heed/model/wide/tfidf_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/display.h"
#include "heed/eval/score_weight.h"
#include "heed/kernel/rows.h"
#include "heed/model/wide/linear_svm.h"
#include "heed/model/wide/naive_bayes.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

// Before the features are counted there are as many as there may become.
Index entries_of(const TfidfOptions& options) {
  return options.entries > 0 ? options.entries
                             : options.words + options.pairs + options.char_ngrams.most;
}

}  // namespace

TfidfNetwork::TfidfNetwork(const Scope& scope, const TfidfOptions& options, Index classes)
    : options_(options),
      weight_(&scope.add("weight", {entries_of(options), classes}, Init::constant(0.0f),
                         {.frozen = true})),
      idf_(&scope.add("idf", {entries_of(options)}, Init::constant(1.0f), {.frozen = true})) {}

void TfidfValues::operator()(std::span<const std::int32_t> features,
                             std::span<const std::int32_t> counts, std::span<float> values) const {
  const auto first_ngram = static_cast<std::size_t>(
      std::lower_bound(features.begin(), features.end(), idf.count() - ngrams) - features.begin());
  const auto fill = [&](std::size_t begin, std::size_t end) {
    double squares = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      // Most are there once, and the logarithm of 1 is 0.
      const float often = counts[i] == 1 ? 1.0f : 1.0f + std::log(static_cast<float>(counts[i]));
      values[i] = often * idf[features[i]];
      squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    }
    const double length = std::sqrt((ngrams > 0 ? 2.0 : 1.0) * squares + 1e-12);
    for (std::size_t i = begin; i < end; ++i) {
      values[i] = static_cast<float>(static_cast<double>(values[i]) / length);
    }
  };
  const bool biased = !features.empty() && features.front() == Vocabulary::kUnknown;
  if (biased) values.front() = 1.0f;
  fill(biased ? 1 : 0, first_ngram);
  fill(first_ngram, features.size());
}

// 1 + log((1 + texts) / (1 + texts that have it))
void TfidfNetwork::learn_idf(const Examples& train) const {
  const Tensor& idf = idf_->value;
  std::vector<double> have(static_cast<std::size_t>(idf.count()), 0.0);
  double texts = 0.0;
  Batch one;
  for (Index i = 0; i < train.count(); i += options_.every) {
    one.clear();
    train.load(i, one);
    for (const std::int32_t feature : one.wide.integers(TfidfWide::kFeatures).values()) {
      ++have[static_cast<std::size_t>(feature)];
    }
    ++texts;
  }
  for (std::size_t i = 0; i < have.size(); ++i) {
    idf.data[i] = static_cast<float>(1.0 + std::log((1.0 + texts) / (1.0 + have[i])));
  }
}

template <typename Use>
void TfidfNetwork::each_text(const Examples& examples, Index every, const Use& use) const {
  Batch one;
  std::vector<float> values;
  for (Index i = 0; i < examples.count(); i += every) {
    one.clear();
    examples.load(i, one);
    const std::int32_t label = labels_of(one).front();
    if (label == kNoAnswer) continue;
    const auto features = one.wide.integers(TfidfWide::kFeatures).values();
    values.resize(features.size());
    tfidf()(features, one.wide.integers(TfidfWide::kCounts).values(), values);
    use(features, values, label);
  }
}

LabelledFeatures TfidfNetwork::features_of(const Examples& train) const {
  LabelledFeatures texts;
  each_text(train, options_.every, [&](const auto& features, const auto& values, Index label) {
    texts.add(features, values, static_cast<std::int32_t>(label));
  });
  return texts;
}

bool TfidfNetwork::learn(const Examples& train, int workers, double seconds) {
  learn_idf(train);
  const LabelledFeatures texts = features_of(train);
  const Tensor& weight = weight_->value;
  if (!learn_svm(texts, weight, workers, seconds)) return false;
  svm_.assign(weight.data, weight.data + weight.count());
  std::vector<float> bayes(static_cast<std::size_t>(weight.count()));
  learn_naive_bayes(texts, {bayes.data(), weight.shape});
  for (Index i = 0; i < weight.count(); ++i) {
    weight.data[i] =
        options_.weight * (options_.svm * weight.data[i] + options_.balance * options_.naive_bayes *
                                                               bayes[static_cast<std::size_t>(i)]);
  }
  return true;
}

float TfidfNetwork::balance(const Examples& held_out) {
  const float of_svm = options_.weight * options_.svm;
  if (svm_.empty() || of_svm == 0.0f || options_.naive_bayes == 0.0f) return 1.0f;
  const Tensor& weight = weight_->value;
  const auto classes = static_cast<std::size_t>(weight.columns());
  std::vector<PartScores> answers;
  each_text(held_out, 1, [&](const auto& features, const auto& values, Index label) {
    PartScores scores{std::vector<float>(classes), std::vector<float>(classes), label};
    kernel::sum_rows(weight.columns(), svm_.data(), features, values, scores.first.data());
    kernel::sum_rows(weight.columns(), weight.data, features, values, scores.second.data());
    for (std::size_t c = 0; c < classes; ++c) {
      scores.first[c] *= of_svm;
      scores.second[c] -= scores.first[c];  // what naive Bayes adds
    }
    answers.push_back(std::move(scores));
  });
  const float factor = std::min(1.0f, best_weight(answers));
  for (Index i = 0; i < weight.count(); ++i) {
    const float svm = of_svm * svm_[static_cast<std::size_t>(i)];
    weight.data[i] = svm + factor * (weight.data[i] - svm);
  }
  options_.balance *= factor;
  return factor;
}

void TfidfNetwork::weigh(float weight) {
  options_.weight *= weight;
  for (float& score : weight_->value.span()) score *= weight;
}

Var TfidfNetwork::operator()(Context& context, const Batch& batch) const {
  if (context.training()) return {};
  const Ragged<std::int32_t>& all = batch.wide.integers(TfidfWide::kFeatures);
  const Ragged<std::int32_t>& counts = batch.wide.integers(TfidfWide::kCounts);
  const Tensor& weight = weight_->value;
  const Index classes = weight.columns();
  const Tensor scores = context.arena().tensor({all.count(), classes});
  for (Index s = 0; s < all.count(); ++s) {
    const auto features = all.part(s);
    const auto values = context.arena().array<float>(std::ssize(features));
    tfidf()(features, counts.part(s), values);
    kernel::sum_rows(classes, weight.data, features, values, scores.row(s));
  }
  return context.constant(scores, "TF-IDF");
}

void TfidfNetwork::describe(Plan& plan) const {
  plan.add("TF-IDF", plan.shape(),
           {"", nn::product_flops(plan.rows(), weight_->value.columns(), 1),
            fmt::format("+ a score of each of {} words, pairs and n-grams",
                        with_commas(weight_->value.rows()))});
}

}  // namespace heed
