#include "heed/model/wide/tfidf_network.h"

#include <fmt/format.h>

#include <cmath>

#include "heed/base/display.h"
#include "heed/grad/linear.h"
#include "heed/grad/pool.h"

namespace heed {
namespace {

constexpr float kDeviation = 1e-4f;  // features say nothing until they have learned

// Before the features are counted there are as many as there may become.
Index entries_of(const TfidfOptions& options) {
  return options.entries > 0 ? options.entries : options.words + options.pairs;
}

}  // namespace

TfidfNetwork::TfidfNetwork(const Scope& scope, const TfidfOptions& options, Index classes)
    : options_(options),
      weights_(scope, entries_of(options), classes, kDeviation),
      idf_(&scope.add("idf", {entries_of(options)}, Init::constant(1.0f), {.frozen = true})) {
  if (options_.folded) options_.scale = 1.0f;
  if (!options_.folded && options_.naive_bayes > 0.0f) {
    naive_bayes_.emplace(scope, entries_of(options), classes, options_.naive_bayes);
  }
}

void tfidf_values(std::span<const std::int32_t> features, std::span<const std::int32_t> counts,
                  const Tensor& idf, std::span<float> values) {
  double squares = 0.0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    values[i] = (1.0f + std::log(static_cast<float>(counts[i]))) * idf[features[i]];
    squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  const auto inverse = static_cast<float>(1.0 / std::sqrt(squares + 1e-12));
  for (float& value : values) value *= inverse;
}

std::vector<float> idf_values(std::span<const double> texts_that_have_it, Index texts) {
  const double all = 1.0 + static_cast<double>(texts);
  std::vector<float> idf;
  for (const double have : texts_that_have_it) {
    idf.push_back(static_cast<float>(1.0 + std::log(all / (1.0 + have))));
  }
  return idf;
}

void TfidfNetwork::count_idf(const Examples& train) const {
  const Tensor& idf = idf_->value;
  std::vector<double> texts(static_cast<std::size_t>(idf.count()), 0.0);
  Batch one;
  for (Index i = 0; i < train.count(); ++i) {
    one.clear();
    train.load(i, one);
    for (const std::int32_t feature : one.wide.integers(TfidfWide::kFeatures).values()) {
      ++texts[static_cast<std::size_t>(feature)];
    }
  }
  const std::vector<float> values = idf_values(texts, train.count());
  std::copy(values.begin(), values.end(), idf.data);
}

void TfidfNetwork::count(const Examples& train) const {
  count_idf(train);
  if (!naive_bayes_) return;
  naive_bayes_->clear();
  Batch one;
  std::vector<float> values;
  for (Index i = 0; i < train.count(); ++i) {
    one.clear();
    train.load(i, one);
    const std::int32_t label = labels_of(one).front();
    if (label == kNoAnswer) continue;
    const auto features = one.wide.integers(TfidfWide::kFeatures).values();
    values.resize(features.size());
    tfidf_values(features, one.wide.integers(TfidfWide::kCounts).values(), idf_->value, values);
    naive_bayes_->count(features, values, label);
  }
  naive_bayes_->finish();
}

std::span<const float> TfidfNetwork::values(Context& context, const Batch& batch,
                                            const Layout& layout) const {
  const auto features = batch.wide.integers(TfidfWide::kFeatures).values();
  const auto counts = batch.wide.integers(TfidfWide::kCounts).values();
  const auto values = context.arena().array<float>(layout.rows());
  for (Index s = 0; s < layout.count(); ++s) {
    const auto begin = static_cast<std::size_t>(layout.begin(s));
    const auto count = static_cast<std::size_t>(layout.length(s));
    tfidf_values(features.subspan(begin, count), counts.subspan(begin, count), idf_->value,
                 values.subspan(begin, count));
  }
  return values;
}

std::span<const float> TfidfNetwork::dropped(Context& context, const Layout& layout,
                                             std::span<const float> values) const {
  Arena& arena = context.arena();
  const auto scaled = arena.array<float>(layout.rows());
  for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = options_.scale * values[i];
  const kernel::Dropout dropout = context.dropout(options_.dropout);
  for (Index s = 0; s < layout.count() && dropout; ++s) {
    const Index length = layout.length(s);
    const auto kept = arena.array<float>(length + kernel::kDropoutBlock);
    kernel::dropout_factors(dropout.sequence(layout.first() + s), 0, 0, length, length,
                            kept.data());
    for (Index i = 0; i < length; ++i) {
      scaled[static_cast<std::size_t>(layout.begin(s) + i)] *= kept[static_cast<std::size_t>(i)];
    }
  }
  return scaled;
}

Var TfidfNetwork::operator()(Context& context, const Batch& batch) const {
  const Ragged<std::int32_t>& features = batch.wide.integers(TfidfWide::kFeatures);
  const Layout layout = Layout::of(context.arena(), features.lengths(), batch.first);
  const std::span<const float> values = this->values(context, batch, layout);
  const Sequences each = weights_(context, features.values(), layout);  // (features, classes)
  const Var weighted = grad::scale_rows(context, each.rows, dropped(context, layout, values));
  const Var linear =
      grad::pool(context, {weighted, layout}, grad::Pool::kSum);  // (sequences, classes)
  if (!naive_bayes_) return linear;
  return grad::add(
      context, linear,
      (*naive_bayes_)(context, features.values(), values, layout,
                      context.training() ? labels_of(batch) : std::span<const std::int32_t>{}));
}

void TfidfNetwork::describe(Plan& plan) const {
  plan.add(
      "TF-IDF", plan.shape(),
      {"", nn::product_flops(plan.rows(), weights_.width(), 1),
       fmt::format("+ a score of each of {} words and pairs{}", with_commas(weights_.vocabulary()),
                   naive_bayes_ ? ", and naive Bayes" : "")});
}

}  // namespace heed
