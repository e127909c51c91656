#include "heed/train/baseline.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "heed/data/examples.h"
#include "heed/model/output/label.h"
#include "heed/model/output/tags.h"
#include "heed/model/wide/linear_crf.h"
#include "heed/model/wide/tfidf_network.h"
#include "heed/train/held_out.h"

namespace heed {
namespace {

// Texts with the features of a wide part and the labels of an output, and nothing else.
StoredExamples examples_of(const Dataset& data, const TfidfWide& wide, const LabelOutput& output) {
  Batch batch;
  for (const Record& record : data.records) {
    batch.lengths.push_back(1);
    wide.prepare(record.content, batch);
    output.prepare(record.answer, batch);
  }
  return StoredExamples(std::move(batch));
}

// The score of the wide part of the run's model, without its network.
double wide_score(const BaselineData& data, int workers) {
  data.model->use(Model::Parts::kWide);
  const double score =
      measure(Predictor(*data.model, workers), *data.dev_examples, data.dev)->score();
  data.model->use(Model::Parts::kAll);
  return score;
}

constexpr const char* kLinear = "a linear SVM and naive Bayes on TF-IDF";

}  // namespace

std::optional<Baseline> linear_on_tfidf(const BaselineData& data, double seconds, int workers) {
  if (data.model != nullptr && data.model->config().wide.as<TfidfWide>() != nullptr) {
    return Baseline{kLinear, wide_score(data, workers)};
  }
  LabelOutput output;
  output.fit(data.train, false);
  TfidfWide wide;
  wide.fit(data.train, output.classes());
  Parameters parameters(1);
  TfidfNetwork network(parameters, wide.options(), output.classes());
  if (!network.learn(examples_of(data.train, wide, output), workers, seconds)) return {};
  const StoredExamples dev = examples_of(data.dev, wide, output);
  Index right = 0;
  Batch one;
  Context context;
  for (Index i = 0; i < dev.count(); ++i) {
    one.clear();
    dev.load(i, one);
    context.begin(Mode::kEvaluate);
    const Tensor row = network(context, one).value;  // (1, classes)
    const float* best = std::max_element(row.data, row.data + row.count());
    right += labels_of(one).front() == best - row.data ? 1 : 0;
  }
  return Baseline{
      kLinear, static_cast<double>(right) / static_cast<double>(std::max<Index>(1, dev.count()))};
}

std::optional<Baseline> most_frequent_tag(const BaselineData& data, double, int) {
  const Dataset &train = data.train, &dev = data.dev;
  TagsOutput output;
  output.fit(train, false);
  std::unordered_map<std::string, std::map<std::int32_t, Index>> counts;
  std::map<std::int32_t, Index> all;
  Batch batch;
  // Calls take(word, tag) with all words of a data set.
  const auto each = [&](const Record& record, const auto& take) {
    const auto& words = std::get<Sentence>(record.content).words;
    batch.clear();
    batch.lengths.push_back(std::ssize(words));
    output.prepare(record.answer, batch);
    const auto tags = batch.answer.integers(0).values();
    for (std::size_t i = 0; i < words.size(); ++i) take(words[i], tags[i]);
  };
  const auto most = [](const std::map<std::int32_t, Index>& tags) {
    return std::max_element(tags.begin(), tags.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  };
  for (const Record& record : train.records) {
    each(record, [&](const std::string& word, std::int32_t tag) {
      ++counts[word][tag];
      ++all[tag];
    });
  }
  const std::int32_t unknown = most(all);
  const std::unique_ptr<Measures> measures = output.measures();
  for (const Record& record : dev.records) {
    Prediction prediction;
    each(record, [&](const std::string& word, std::int32_t) {
      const auto known = counts.find(word);
      prediction.rows.push_back({{known == counts.end() ? unknown : most(known->second), 1.0f}});
    });
    measures->add(record.answer, prediction);
  }
  return Baseline{"each word's most frequent tag", measures->score()};
}

std::optional<Baseline> linear_crf_alone(const BaselineData& data, double seconds, int workers) {
  if (data.model == nullptr || data.model->config().wide.as<LinearCrfWide>() == nullptr) {
    return most_frequent_tag(data, seconds, workers);
  }
  return Baseline{"a linear CRF on features of words", wide_score(data, workers)};
}

}  // namespace heed
